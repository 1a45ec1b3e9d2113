from collections.abc import Sequence
from threading import Lock

from providers.embedding.vector import Vector, normalise
from providers.onnx_model import OnnxModel


def embed_text(model: OnnxModel, text: str) -> tuple[Vector, int]:
    """With the number of its tokens."""
    encoding = model.encode(text)
    return normalise(model.run(encoding)[0]), len(encoding.ids)


class TextBatch:
    """The texts of one call, worked off by as many threads as call `work`."""

    def __init__(self, model: OnnxModel, texts: Sequence[str]) -> None:
        self._model = model
        self._texts = texts
        self._embedded: dict[int, tuple[Vector, int]] = {}
        self._next = 0
        self._lock = Lock()

    @property
    def embedded(self) -> list[tuple[Vector, int]]:
        """In the order of the texts."""
        return [self._embedded[place] for place in range(len(self._texts))]

    def stop(self) -> None:
        with self._lock:
            self._next = len(self._texts)

    def work(self) -> None:
        while (place := self._take()) is not None:
            self._embedded[place] = embed_text(self._model, self._texts[place])

    def _take(self) -> int | None:
        with self._lock:
            place = self._next
            if place >= len(self._texts):
                return None
            self._next = place + 1
            return place
