import numpy as np
import numpy.typing as npt

from providers.errors import UnusableVector

Vector = npt.NDArray[np.float32]


def normalise(values: npt.ArrayLike) -> Vector:
    """The vector at length 1, as a copy: a view of one row would keep its whole batch in memory."""
    vector = np.array(values, dtype=np.float64)
    length = float(np.linalg.norm(vector)) if vector.ndim == 1 else 0.0
    if not np.isfinite(length) or length == 0.0:
        raise UnusableVector("The embedding is empty, zero or not finite.")
    return (vector / length).astype(np.float32)
