import numpy as np

from banks.vectors import write_vector


def test_a_vector_comes_back_bit_for_bit() -> None:
    vector = np.random.default_rng(1).normal(size=384).astype(np.float32) * np.float32(1e-3)
    read = np.array([float(value) for value in write_vector(vector)[1:-1].split(",")], dtype=np.float32)
    assert read.tobytes() == vector.tobytes()
