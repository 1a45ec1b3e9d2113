"""Edges between units. Neighbours by entity and by time are derived when they are asked for."""
