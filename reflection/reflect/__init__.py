"""Reflect: an answer out of memory, given by somebody with a disposition, and the opinions that it forms."""
