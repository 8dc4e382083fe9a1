"""How learning platforms grade graders, one rule in each file."""
