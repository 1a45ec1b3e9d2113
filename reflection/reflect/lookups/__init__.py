"""What a reflect looks up: memories, the words they were taken from, and what stands around them."""
