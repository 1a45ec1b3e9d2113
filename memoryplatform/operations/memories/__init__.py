"""Use-cases of memories: list, show, edit, close, delete, and the consequences."""
