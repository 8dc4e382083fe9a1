"""Classes as platforms export them, in and out."""
