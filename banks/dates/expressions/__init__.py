"""What a time expression means before it is known when it was said."""
