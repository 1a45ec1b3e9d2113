"""What is written down of recalls, in batches and off the path of requests."""
