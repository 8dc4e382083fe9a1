"""People in exports: which names belong to one person, and pseudonyms for them."""
