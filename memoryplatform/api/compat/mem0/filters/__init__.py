"""mem0's filters: read into a tree of conditions, and followed in lists and in recall."""
