"""One call of a model, read while it arrives."""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter

from providers import tokens
from providers.llm.errors import StreamInterrupted
from providers.llm.protocol import LLM, ChatMessage, StreamEnd, TextDelta
from providers.usage import Usage
from reflection.reflect.events import Pause, Said
from reflection.reflect.llm.citations import CitedText
from reflection.reflect.llm.delimiter import Splitter
from reflection.reflect.lookups.gathered import Gathered
from reflection.reflect.trace import CallPurpose, ModelCall, Trace
from reflection.reflect.types import Labelled
from tenants.transactions import let_go_of_connection

FILTERED = "content_filter"
CUT = ("length", FILTERED)  # reasons for which an answer ends before its end


@dataclass(frozen=True)
class Call:
    messages: Sequence[ChatMessage]
    max_tokens: int
    seconds: float
    purpose: CallPurpose = "answer"


@dataclass(frozen=True)
class Reply:
    """`raw` is all that the model wrote, `notes` what stands after the delimiter; None where that never came.

    `was_filtered`: the endpoint took something out, or ended the answer there. Nobody knows what is missing.
    """

    text: str
    notes: str | None
    raw: str
    cited: tuple[Labelled, ...]
    dropped: int
    truncated: bool
    was_filtered: bool = False


class ModelCaller:
    """Asks one model for one answer. Streaming or not, a call is one call and is read by the same steps."""

    def __init__(self, llm: LLM, trace: Trace, *, delimiter: str, streams: bool) -> None:
        self._llm = llm
        self._trace = trace
        self._delimiter = delimiter
        self._streams = streams

    def ask(self, call: Call, gathered: Gathered) -> Generator[Said, None, Reply]:
        splitter, cited = Splitter(self._delimiter), CitedText(gathered)
        raw, finish_reason = [], None
        with closing(self._listen(call)) as pieces:
            for piece in pieces:
                if isinstance(piece, StreamEnd):
                    finish_reason = piece.finish_reason
                else:
                    raw.append(piece.text)
                    yield from cited.feed(splitter.feed(piece.text))
                    if splitter.notes is not None:
                        yield Pause()
        yield from cited.feed(splitter.end())
        yield from cited.end()
        return Reply(
            cited.text,
            splitter.notes,
            "".join(raw),
            tuple(cited.cited.values()),
            cited.dropped,
            truncated=finish_reason in CUT,
            was_filtered=finish_reason == FILTERED,
        )

    def _listen(self, call: Call) -> Generator[TextDelta | StreamEnd, None, None]:
        """Whatever ends it, what was spent is noted: an answer that nobody waited for was paid for too."""
        let_go_of_connection()
        begun, heard = perf_counter(), []
        usage, finish_reason = None, None
        pieces = self._speak(call)
        try:
            while True:
                with self._trace.away():
                    piece = next(pieces, None)
                if piece is None:
                    return
                if isinstance(piece, StreamEnd):
                    usage, finish_reason = piece.usage, piece.finish_reason
                else:
                    heard.append(piece.text)
                yield piece
        except StreamInterrupted as interrupted:
            usage = interrupted.usage
            raise
        finally:
            pieces.close()
            if usage is None and heard:
                usage = estimate(call.messages, "".join(heard))
            milliseconds = round((perf_counter() - begun) * 1000, 3)
            self._trace.note_call(ModelCall(call.purpose, usage or Usage(), milliseconds, finish_reason))

    def _speak(self, call: Call) -> Generator[TextDelta | StreamEnd, None, None]:
        if self._streams and call.purpose == "answer":
            yield from self._llm.stream(call.messages, max_tokens=call.max_tokens, timeout=call.seconds)
            return
        answer = self._llm.complete(call.messages, max_tokens=call.max_tokens, timeout=call.seconds)
        yield TextDelta(answer.text)
        yield StreamEnd(answer.usage, answer.finish_reason or "stop")


def estimate(messages: Sequence[ChatMessage], heard: str) -> Usage:
    asked = sum(tokens.count(message.content) for message in messages)
    return Usage(asked, tokens.count(heard), calls=1, estimated=True)
