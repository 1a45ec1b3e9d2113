"""The part of sentence-transformers 6 that the adapters use, with its signatures and without its gigabytes.

The library can't run here. The signatures and results of these classes follow its source code.
"""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt


class SentenceTransformer:
    """Records the encoded texts, each with the prompt that the library would prepend."""

    def __init__(self, model_name_or_path: str | None = None, *, device: str | None = None) -> None:
        if model_name_or_path == "no/such-model":
            raise OSError(f"{model_name_or_path} is not a local folder and is not a valid model identifier")
        self.device = device
        self.prompts = {"query": "own: "} if model_name_or_path == "with/prompts" else {}
        self.encoded: list[str] = []

    def encode_query(
        self, inputs: Sequence[str], *, prompt: str | None = None, show_progress_bar: bool | None = None
    ) -> npt.NDArray[np.float32]:
        own = self.prompts.get("query", "") if prompt is None else prompt
        return self._encode([own + text for text in inputs], show_progress_bar=show_progress_bar)

    def encode_document(
        self, inputs: Sequence[str], *, prompt: str | None = None, show_progress_bar: bool | None = None
    ) -> npt.NDArray[np.float32]:
        return self._encode([(prompt or "") + text for text in inputs], show_progress_bar=show_progress_bar)

    def _encode(self, texts: list[str], *, show_progress_bar: bool | None) -> npt.NDArray[np.float32]:
        if show_progress_bar is not False:
            raise AssertionError("The library draws progress bars where the log level is INFO.")
        self.encoded += texts
        return np.array([[len(text) + 1.0, 1.0, 2.0] for text in texts], dtype=np.float32)


class CrossEncoder:
    """The logit is the number of words that query and passage share, minus one."""

    def __init__(self, model_name_or_path: str | None = None, *, device: str | None = None) -> None:
        if model_name_or_path == "no/such-model":
            raise OSError(f"{model_name_or_path} is not a local folder and is not a valid model identifier")
        self.device = device
        self.num_labels = 3 if model_name_or_path == "three/labels" else 1
        self.batches: list[int] = []

    def predict(
        self,
        inputs: Sequence[tuple[str, str]],
        *,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
    ) -> npt.NDArray[np.float32]:
        if show_progress_bar is not False or batch_size < 1 or activation_fn is None:
            raise AssertionError("The adapter asks for logits, and for no progress bar.")
        self.batches.append(len(inputs))
        logits = [len(set(query.split()) & set(passage.split())) - 1.0 for query, passage in inputs]
        return np.asarray(activation_fn(np.array(logits, dtype=np.float32)), dtype=np.float32)


def build_module() -> ModuleType:
    module = ModuleType("sentence_transformers")
    module.__dict__.update(SentenceTransformer=SentenceTransformer, CrossEncoder=CrossEncoder)
    return module
