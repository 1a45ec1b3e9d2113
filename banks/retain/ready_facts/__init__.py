"""Retaining facts that a caller extracted."""
