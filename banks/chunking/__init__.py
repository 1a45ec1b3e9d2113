"""Cutting sources into the archive's retrieval units."""
