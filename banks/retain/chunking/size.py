CHUNK_SIZE = 1600  # characters, the overlap included
OVERLAP = 320
# A chunk may end anywhere in the second half of its own part. Among equal places there the content decides and not the
# distance from the start, so that the cuts after an edit find back to where they were.
SHORTEST = (CHUNK_SIZE - OVERLAP) // 2
