"""Spreading activation over the memory graph (formula 12)."""
