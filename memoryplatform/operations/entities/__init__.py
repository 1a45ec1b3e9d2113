"""What a caller does with entities."""
