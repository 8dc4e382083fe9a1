"""File formats: opening files, archives, JSON and XML trees, headers, columns and marks."""
