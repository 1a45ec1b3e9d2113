"""Tools for every prompt: fences around foreign text, tolerant types for answers, a cache, a count of the usage."""
