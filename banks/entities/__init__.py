"""Whom and what memories are about: names, which of them mean the same one, and what is known of each."""
