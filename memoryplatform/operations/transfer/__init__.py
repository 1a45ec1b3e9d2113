"""A bank as a file of JSON lines, and back."""
