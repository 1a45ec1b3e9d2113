"""The life of a stored memory: it is restated, closed, edited, restored, deleted."""
