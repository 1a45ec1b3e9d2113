"""Imports: a file of another product, or a text, becomes items for retain. One reader per format."""
