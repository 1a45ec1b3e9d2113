"""Erasure: words of a memory, message, thread, document, person or bank are removed from everywhere."""
