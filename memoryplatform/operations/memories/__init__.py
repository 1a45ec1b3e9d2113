"""What a caller does with memories: list, look, edit, close, delete, and what follows from that."""
