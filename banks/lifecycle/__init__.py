"""What happens to memories after they were stored: restated, closed, edited, restored, deleted."""
