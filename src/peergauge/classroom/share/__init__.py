"""Share a class without sharing anybody's data: how alike a class and its twins are."""
