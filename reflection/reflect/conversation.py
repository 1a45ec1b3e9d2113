"""The conversation with a model until it has answered: calls, rounds of look-ups, and one repair of its notes."""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import perf_counter

from banks.models import Bank
from providers.llm.answer import build_usage
from providers.llm.errors import LLMError, StreamInterrupted
from providers.llm.protocol import LLM, ChatMessage, StreamEnd, TextDelta
from providers.usage import Usage
from reflection.reflect.citations import CitedText
from reflection.reflect.context import build_context, write_sources
from reflection.reflect.delimiter import AnswerSplitter
from reflection.reflect.found_memories import FoundMemories
from reflection.reflect.lookups import LookUpRound, MemoryLookups, measure_since
from reflection.reflect.notes import CheckedNotes, check_notes
from reflection.reflect.prompt import LAST_CALL, Prompt, TokenBudget, describe_turns_left, join_parts
from reflection.reflect.surroundings import Surroundings, read_surroundings
from reflection.reflect.trace import CallPurpose, ModelCall, Trace
from reflection.reflect.types import (
    AnswerEvent,
    LabelledMemory,
    Pause,
    ReflectQuery,
    Retrieved,
    TextEvent,
)
from retrieval.types import PointInTime
from tenants.transactions import let_go_of_connection

FILTERED = "content_filter"
CUT = ("length", FILTERED)  # finish reasons of an incomplete answer
UNSUPPORTED = "the memory does not have the names, numbers or dates of the sentence."
LEAST_SECONDS = 5.0  # for a further call
NO_ROOM = ChatMessage("user", "The results are too long to be shown: the bound on tokens is near.")


@dataclass(frozen=True)
class ModelRequest:
    messages: Sequence[ChatMessage]
    max_tokens: int
    seconds: float | None
    purpose: CallPurpose = "answer"


@dataclass(frozen=True)
class ModelReply:
    """`raw` is the whole output, `notes` the text after the delimiter; None if the model wrote no delimiter.

    `was_filtered`: the endpoint removed something or ended the answer. The missing part is unknown.
    """

    text: str
    notes: str | None
    raw: str
    cited: tuple[LabelledMemory, ...]
    dropped: int
    truncated: bool
    was_filtered: bool = False


ModelAnswer = tuple[ModelReply, CheckedNotes]


@dataclass(frozen=True)
class ModelCaller:
    """Calls one model for one answer. A streamed call and a plain call are read by the same steps."""

    llm: LLM
    trace: Trace
    delimiter: str
    streams: bool

    def call(self, request: ModelRequest, found: FoundMemories) -> Generator[TextEvent, None, ModelReply]:
        splitter, cited = AnswerSplitter(self.delimiter), CitedText(found)
        raw, finish_reason = [], None
        with closing(self._receive(request)) as pieces:
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
        if cited.unsupported:
            self.trace.notes.append(f"{cited.unsupported} citations were dropped: {UNSUPPORTED}")
        return ModelReply(
            cited.text,
            splitter.notes,
            "".join(raw),
            tuple(cited.cited.values()),
            cited.dropped + cited.unsupported,
            truncated=finish_reason in CUT,
            was_filtered=finish_reason == FILTERED,
        )

    def _receive(self, request: ModelRequest) -> Generator[TextDelta | StreamEnd, None, None]:
        """Notes the usage however the call ends: an abandoned answer was paid for too."""
        let_go_of_connection()
        begun, received = perf_counter(), []
        usage, finish_reason = None, None
        pieces = self._send(request)
        try:
            while True:
                with self.trace.away():
                    piece = next(pieces, None)
                if piece is None:
                    return
                if isinstance(piece, StreamEnd):
                    usage, finish_reason = piece.usage, piece.finish_reason
                else:
                    received.append(piece.text)
                yield piece
        except StreamInterrupted as interrupted:
            usage = interrupted.usage
            raise
        finally:
            pieces.close()
            if usage is None and received:
                usage = build_usage(None, self.llm, request.messages, "".join(received))
            self.trace.note_call(ModelCall(request.purpose, usage or Usage(), measure_since(begun), finish_reason))

    def _send(self, request: ModelRequest) -> Generator[TextDelta | StreamEnd, None, None]:
        if self.streams and request.purpose == "answer":
            yield from self.llm.stream(request.messages, max_tokens=request.max_tokens, timeout=request.seconds)
            return
        answer = self.llm.complete(request.messages, max_tokens=request.max_tokens, timeout=request.seconds)
        yield TextDelta(answer.text)
        yield StreamEnd(answer.usage, answer.finish_reason or "stop")


@dataclass
class Conversation:
    """The model may ask for look-ups, and must answer when a bound is near."""

    bank: Bank
    query: ReflectQuery
    caller: ModelCaller
    lookups: MemoryLookups
    budget: TokenBudget
    trace: Trace
    messages: list[ChatMessage] = field(default_factory=list)

    def run(self, prompt: Prompt, moment: PointInTime) -> Generator[AnswerEvent, None, ModelAnswer | None]:
        """None if a call would exceed the bound on tokens."""
        self.messages = prompt.messages
        while True:
            is_last = not self._has_room_for_two()
            request = self._build_request(is_last=is_last)
            if request is None:
                return None
            reply = yield from self._call(request)
            checked = check_notes(reply.notes, self.query.response_schema)
            if not reply.text and checked.skipped_look_ups:
                self.trace.notes.append(checked.skipped_look_ups)
            if checked.has_only_unreadable_look_ups and not reply.text and not is_last:
                complaint = f"{checked.skipped_look_ups} Ask again as the rules say, or answer from what you have."
                self.messages += [ChatMessage("assistant", reply.raw), ChatMessage("user", complaint)]
                continue
            if reply.text or not checked.look_ups:
                return self._finish(reply, checked)
            if is_last:
                self.trace.notes.append("The model asked for look-ups in its last turn.")
                return reply, checked
            yield from self._look_up(reply, checked, moment)

    def _look_up(
        self, reply: ModelReply, checked: CheckedNotes, moment: PointInTime
    ) -> Generator[AnswerEvent, None, None]:
        """Adds the results to the messages, or a note that they have no room."""
        results = self.lookups.run_round(checked.look_ups)
        if results.memories:
            yield Retrieved(results.memories)
        filters = self.query.recall.filters
        around = read_surroundings(self.bank, results.memories, results.entity_ids, moment, filters)
        self.messages += [ChatMessage("assistant", reply.raw), self._write_results(results, around)]
        if self.budget.find_output(self.messages, self.query.output_tokens) is None:
            self.messages[-1] = NO_ROOM
            return
        found = self.lookups.found
        found.note_shown(results.memories)
        found.note_read(one.id for one in around.relationships)
        found.note_read(opened for source in results.sources for opened in source.ids)

    def _call(self, request: ModelRequest) -> Generator[TextEvent, None, ModelReply]:
        reply = yield from self.caller.call(request, self.lookups.found)
        self.budget.learn(request.messages, self.trace.calls[-1].usage)
        return reply

    def _has_turns(self, calls: int) -> bool:
        bounds, made = self.query.bounds, self.trace.calls
        left = self._seconds_left
        return len(made) + calls <= bounds.calls and (left is None or left >= calls * LEAST_SECONDS)

    def _has_room_for_two(self) -> bool:
        """Assumes that each call writes as much as it may, and that the second reads the output of the first."""
        asked = self.budget.count(self.messages)
        return self._has_turns(2) and 2 * asked + 3 * self.query.output_tokens <= self.budget.left

    @property
    def _seconds_left(self) -> float | None:
        """None without a bound: each call has the time limit of the model's settings."""
        seconds = self.query.bounds.seconds
        return None if seconds is None else max(1.0, seconds - self.trace.seconds)

    def _build_request(self, *, is_last: bool) -> ModelRequest | None:
        """Announces the turns that are left, or the last one. The rules of a single call say so already."""
        if self.query.bounds.calls == 1:
            return self._fit_request(self.messages)
        turns = self.query.bounds.calls - len(self.trace.calls) - 1
        *before, last = self.messages
        announcement = LAST_CALL if is_last else describe_turns_left(turns)
        return self._fit_request([*before, replace(last, content=f"{last.content}\n\n{announcement}")])

    def _fit_request(self, messages: list[ChatMessage]) -> ModelRequest | None:
        output = self.budget.find_output(messages, self.query.output_tokens)
        return None if output is None else ModelRequest(messages, output, self._seconds_left)

    def _write_results(self, results: LookUpRound, around: Surroundings) -> ChatMessage:
        zone = self.query.recall.asked_at.tzinfo
        blocks = build_context(results.memories, around, zone, earlier=self.lookups.found.shown)
        again = "".join(memory.mark for memory in results.again)
        shown = f"Found again, and shown above: {again}." if again else ""
        parts = [*blocks.values(), write_sources(results.sources), shown]
        if not blocks and not results.sources:
            parts.append("Nothing more was found.")
        return ChatMessage("user", join_parts(part for part in parts if part))

    def _finish(self, reply: ModelReply, checked: CheckedNotes) -> ModelAnswer:
        """Asks once more for faulty notes, if another call is allowed and worth it."""
        if checked.fault is not None:
            self.trace.notes.append(checked.fault)
            if self._is_worth_repair(reply, checked) and self._has_turns(1):
                checked = self._repair_notes(reply, checked)
        return reply, checked

    def _is_worth_repair(self, reply: ModelReply, checked: CheckedNotes) -> bool:
        """Structured output is. Lost opinions are, unless none may be formed."""
        may_form = self.query.forms_opinions and not reply.was_filtered
        return self.query.response_schema is not None or (checked.notes is None and may_form)

    def _repair_notes(self, reply: ModelReply, checked: CheckedNotes) -> CheckedNotes:
        """Nothing of it is shown. The answer stands, even if the model fails now."""
        complaint = f"{checked.fault}\nWrite the whole JSON object again, corrected, and nothing else besides it."
        messages = [*self.messages, ChatMessage("assistant", reply.raw), ChatMessage("user", complaint)]
        request = self._fit_request(messages)
        if request is None:
            return checked
        try:
            again = drain(self._call(replace(request, purpose="repair")))
        except LLMError as error:
            self.trace.notes.append(f"The notes were not repaired: {error}")
            return checked
        repaired = check_notes(again.raw, self.query.response_schema)
        return repaired if repaired.fault is None or checked.notes is None else checked


def drain(steps: Generator[TextEvent, None, ModelReply]) -> ModelReply:
    """Runs the call to its end and shows nothing."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            reply: ModelReply = stop.value
            return reply
