"""A large bank's own index over the vectors of its units; a small one is scanned, which is exact and as quick."""
