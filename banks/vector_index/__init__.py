"""Search by vector: a large bank has an index of its own, a small one is scanned, which is exact and as fast."""
