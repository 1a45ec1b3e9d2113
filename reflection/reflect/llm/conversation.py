"""The talk with a model until it has answered: it may look again, and must answer when a bound is near."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from datetime import tzinfo

from banks.models import Bank
from providers.llm.errors import LLMError
from providers.llm.protocol import ChatMessage
from reflection.reflect.events import Retrieved, Said, Step
from reflection.reflect.llm.asking import Call, ModelCaller, Reply
from reflection.reflect.llm.context import build_context, tell_sources
from reflection.reflect.llm.notes import Notes
from reflection.reflect.llm.prompt import Prompt, join
from reflection.reflect.llm.reading import Read, read_notes
from reflection.reflect.llm.room import Room
from reflection.reflect.llm.rules import LAST_CALL, describe_turns_left
from reflection.reflect.lookups.looking import Looker, Round
from reflection.reflect.lookups.surroundings import Surroundings, read_surroundings
from reflection.reflect.trace import Trace
from reflection.reflect.types import ReflectQuery, StructuredOutput
from retrieval.types import PointInTime

NOTES_TOKENS = 1_024  # for what stands after the answer
STRUCTURE_TOKENS = 3_072  # on top, where structured output is asked for
LEAST_SECONDS = 5.0  # that a further call must have
NO_ROOM = ChatMessage("user", "What was found is too long to be told: the bound on tokens is near.")


@dataclass(frozen=True)
class Answer:
    """What a model answered. `notes` are None where they can't be read."""

    reply: Reply
    notes: Notes | None
    structured: StructuredOutput


class Conversation:
    def __init__(
        self, bank: Bank, query: ReflectQuery, caller: ModelCaller, looker: Looker, room: Room, trace: Trace
    ) -> None:
        self._bank = bank
        self._query = query
        self._caller = caller
        self._looker = looker
        self._room = room
        self._trace = trace
        self._messages: list[ChatMessage] = []

    def hold(self, prompt: Prompt, moment: PointInTime) -> Generator[Step, None, Answer | None]:
        """None where a call would pass the bound on tokens."""
        self._messages = prompt.messages
        while True:
            is_last = not self._has_room_for_two()
            call = self._build_call(is_last=is_last)
            if call is None:
                return None
            reply = yield from self._ask(call)
            read = read_notes(reply.notes, self._query.response_schema)
            if not reply.text and read.lost_look_ups:
                self._trace.notes.append(read.lost_look_ups)
            if read.asks_in_vain and not reply.text and not is_last:
                self._messages += [ChatMessage("assistant", reply.raw), ChatMessage("user", read.complain())]
                continue
            if reply.text or not read.look_ups:
                return self._finish(reply, read)
            if is_last:
                self._trace.notes.append("The model asked for look-ups in its last turn.")
                return Answer(reply, read.notes, read.structured)
            found = self._looker.look_again(read.look_ups)
            if found.memories:
                yield Retrieved(found.memories)
            filters = self._query.recall.filters
            around = read_surroundings(self._bank, found.memories, found.entity_ids, moment, filters)
            self._messages += [ChatMessage("assistant", reply.raw), self._tell(found, around)]
            if self._room.find_output(self._messages, self._output_tokens) is None:
                self._messages[-1] = NO_ROOM
            else:
                self._note_told(found, around)

    def _ask(self, call: Call) -> Generator[Said, None, Reply]:
        reply = yield from self._caller.ask(call, self._looker.gathered)
        self._room.learn(call.messages, self._trace.calls[-1].usage)
        return reply

    def _has_turns(self, calls: int) -> bool:
        bounds, made = self._query.bounds, self._trace.calls
        return len(made) + calls <= bounds.calls and self._seconds_left >= calls * LEAST_SECONDS

    def _has_room_for_two(self) -> bool:
        """If each writes as much as it may, and the second reads what the first wrote."""
        asked = self._room.count(self._messages)
        return self._has_turns(2) and 2 * asked + 3 * self._output_tokens <= self._room.left

    @property
    def _seconds_left(self) -> float:
        return self._query.bounds.seconds - self._trace.seconds

    @property
    def _output_tokens(self) -> int:
        return count_output(self._query)

    def _build_call(self, *, is_last: bool) -> Call | None:
        """The last turn is announced, and so is how many there are before it; one that is alone has it in its rules."""
        if self._query.bounds.calls == 1:
            return self._call(self._messages)
        turns = self._query.bounds.calls - len(self._trace.calls) - 1
        *before, last = self._messages
        said = LAST_CALL if is_last else describe_turns_left(turns)
        return self._call([*before, replace(last, content=f"{last.content}\n\n{said}")])

    def _call(self, messages: list[ChatMessage]) -> Call | None:
        output = self._room.find_output(messages, self._output_tokens)
        return None if output is None else Call(messages, output, max(1.0, self._seconds_left))

    def _note_told(self, found: Round, around: Surroundings) -> None:
        gathered = self._looker.gathered
        gathered.show(found.memories)
        gathered.note_read(tie.id for tie in around.ties)
        gathered.note_read(opened for source in found.sources for opened in source.ids)

    def _tell(self, found: Round, around: Surroundings) -> ChatMessage:
        blocks = build_context(found.memories, around, self._zone, earlier=self._looker.gathered.told)
        parts = [*blocks.values(), tell_sources(found.sources)]
        return ChatMessage("user", join(part for part in parts if part) or "Nothing more was found.")

    @property
    def _zone(self) -> tzinfo | None:
        return self._query.recall.asked_at.tzinfo

    def _finish(self, reply: Reply, read: Read) -> Answer:
        """Notes that are at fault are asked for once more, where another call is allowed and worth it."""
        if read.fault is not None:
            self._trace.notes.append(read.fault)
            if self._is_worth_repair(reply, read) and self._has_turns(1):
                read = self._repair(reply, read)
        return Answer(reply, read.notes, read.structured)

    def _is_worth_repair(self, reply: Reply, read: Read) -> bool:
        """Lost opinions alone are not, where none may be formed."""
        may_form = self._query.forms_opinions and not reply.was_filtered
        return self._query.response_schema is not None or (read.notes is None and may_form)

    def _repair(self, reply: Reply, read: Read) -> Read:
        """Nothing of it is shown: the answer stands, also where the model is gone by now."""
        complaint = f"{read.fault}\nWrite the whole JSON object again, corrected, and nothing else besides it."
        messages = [*self._messages, ChatMessage("assistant", reply.raw), ChatMessage("user", complaint)]
        call = self._call(messages)
        if call is None:
            return read
        try:
            again = drain(self._ask(replace(call, purpose="repair")))
        except LLMError as error:
            self._trace.notes.append(f"The notes were not repaired: {error}")
            return read
        repaired = read_notes(again.raw, self._query.response_schema)
        return repaired if repaired.fault is None or read.notes is None else read


def count_output(query: ReflectQuery) -> int:
    """What a call may write where the bounds leave that much."""
    structure = STRUCTURE_TOKENS if query.response_schema is not None else 0
    return query.answer_tokens + NOTES_TOKENS + structure


def drain(steps: Generator[Said, None, Reply]) -> Reply:
    """To the end, with nobody listening."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            reply: Reply = stop.value
            return reply
