"""Correcting entities by hand: merge, split, rename."""
