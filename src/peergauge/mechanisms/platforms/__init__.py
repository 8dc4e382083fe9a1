"""Rules by which learning platforms grade graders, one in each file."""
