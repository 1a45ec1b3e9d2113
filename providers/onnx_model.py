"""Quantised BERT models, run on onnxruntime and tokenizers alone."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt
from onnxruntime import (  # type: ignore[import-untyped]  # it ships no types
    InferenceSession,
    OrtValue,
    RunOptions,
    SessionOptions,
)
from tokenizers import Encoding, Tokenizer

from providers.packaged_file import check_file, get_packaged_file
from providers.tokens import encodable

T = TypeVar("T")
MAX_TOKENS = 512  # the positions that both models were trained with
# A token of English has 4 to 5 characters. A longer text fills the positions long before its end and only takes time
# to tokenise (0.7 s for a megabyte).
MAX_CHARACTERS = 16 * MAX_TOKENS


@dataclass(frozen=True)
class PackagedFile:
    """A file of an installed package, with the checksum that it must have."""

    package: str
    parts: tuple[str, ...]
    sha256: str

    def find(self) -> Path:
        return check_file(get_packaged_file(self.package, *self.parts), sha256=self.sha256)


# All built-in models read the uncased word pieces of BERT.
TOKENIZER = PackagedFile(
    "providers.weights",
    ("tokenizer.json",),
    sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)


@dataclass(frozen=True)
class SharedWeights:
    """Values that a model leaves out of its own file, because they are those of another model's file."""

    name: str
    file: PackagedFile
    offset: int
    shape: tuple[int, int]

    def read(self) -> npt.NDArray[np.uint8]:
        rows, columns = self.shape
        values = np.fromfile(self.file.find(), dtype=np.uint8, offset=self.offset, count=rows * columns)
        return values.reshape(self.shape)


@dataclass(frozen=True)
class ModelFiles:
    model: PackagedFile
    tokenizer: PackagedFile
    shared: SharedWeights | None = None


class OnnxModel:
    """Runs one text, or one pair of texts, at a time and never a batch.

    The weights are int8 and the activations are quantised per call, with one scale for the whole batch. So the other
    texts of a batch change a text's result, even when all are equally long: cosine 0.989 to 0.995 to the same text
    alone. Alone, a text always gives the same bits, with any number of threads.
    """

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._run_options = build_run_options()

    @classmethod
    def load(cls, files: ModelFiles, *, threads: int) -> Self:
        model, tokenizer, options = files.model.find(), files.tokenizer.find(), build_session_options(threads)
        if files.shared is not None:
            values = OrtValue.ortvalue_from_numpy(files.shared.read())
            options.add_external_initializers([files.shared.name], [values])
        session = InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        return cls(session, build_tokenizer(str(tokenizer)))

    def encode(self, text: str, pair: str | None = None) -> Encoding:
        second = None if pair is None else encodable(pair[:MAX_CHARACTERS])
        return self._tokenizer.encode(encodable(text[:MAX_CHARACTERS]), second)

    def run(self, encoding: Encoding) -> npt.NDArray[np.float32]:
        """The first output for this one input, without its batch dimension."""
        outputs = self._session.run(
            None,
            {
                "input_ids": np.array([encoding.ids], dtype=np.int64),
                "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
                "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
            },
            self._run_options,
        )
        return np.asarray(outputs[0][0], dtype=np.float32)


def build_session_options(threads: int) -> SessionOptions:
    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A spinning thread takes the core from other work on this machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The session keeps a plan for every shape it has seen, and every length is a shape.
    options.enable_mem_pattern = False
    return options


def build_run_options() -> RunOptions:
    """Release the memory of each run. A process that has seen long texts is some 100 MB smaller for it, at 3 % of the
    time of a text of 480 tokens and nothing measurable up to 200.
    """
    options = RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def build_tokenizer(path: str) -> Tokenizer:
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


class HelperThreads:
    """Threads that work beside the caller's own, so that a caller never waits for threads that help another."""

    def __init__(self, count: int, *, name: str) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(max(1, count), thread_name_prefix=name)

    def work_through(self, items: Iterator[T], work: Callable[[T], None], *, count: int) -> None:
        """Call `work` with each of about `count` items. One thread at a time takes the next item.

        The first error of any thread is raised, and no further item is taken then.
        """
        shared = SharedItems(items)
        helpers = [self._pool.submit(shared.work_off, work) for _ in range(min(self._count, count - 1))]
        try:
            shared.work_off(work)
        finally:
            shared.stop()
            started = [helper for helper in helpers if not helper.cancel()]
        for helper in started:
            helper.result()


class SharedItems(Generic[T]):
    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._lock = Lock()

    def stop(self) -> None:
        with self._lock:
            self._items = iter(())

    def work_off(self, work: Callable[[T], None]) -> None:
        while taken := self._take():
            work(taken[0])

    def _take(self) -> list[T]:
        """The next item, in a list that is empty at the end."""
        with self._lock:
            return list(islice(self._items, 1))
