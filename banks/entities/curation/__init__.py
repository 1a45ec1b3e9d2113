"""What people do with entities: merge, split, rename."""
