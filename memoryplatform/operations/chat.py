"""One turn of a chat with a bank's agent: it recalls, answers as reflect does, and retains the exchange."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from banks.models import Bank, Message
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.models import Operation
from memoryplatform.operations.reflect import open_reflection
from memoryplatform.operations.retain import retain
from reflection.directives import AppliedDirective
from reflection.reflect.citations import drop_marks
from reflection.reflect.types import Done, Event, ReflectQuery, ReflectResult
from retrieval.analysis import clean_query
from retrieval.types import RecallQuery

MOST_MESSAGES = 100  # of a chat that is shown again
MOST_BEFORE = 12  # messages that the model reads as the conversation so far
LONGEST_BEFORE = 2_000  # characters of each
MEMORY_TOKENS = 1_500
ANSWER_TOKENS = 1_024
CONVERSATION = AppliedDirective(
    UUID(int=0),
    "Conversation",
    "This is a conversation, and `context` has its last messages. Reply to the message in the block `question` as "
    "yourself, naturally and briefly. If the message tells you something, take it up, and do not say that your memory "
    "lacks it. Use and cite your memory where it helps.",
)


@dataclass(frozen=True)
class ChatTurn:
    """`thread` names the conversation in the archive, `speaker` the person."""

    thread: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Retaining:
    """The exchange is archived, and the operation extracts its memories."""

    operation: Operation


def open_turn(access: BankAccess, bank_id: str, turn: ChatTurn) -> Generator[Event | Retaining, None, None]:
    """The events of the answer, then the operation that retains. Raises for bad input before the first event.

    An answer that breaks off retains nothing, so the person can send the same message again. No opinion is formed.
    """
    with bank_transaction(access, bank_id) as bank:
        before = read_chat(bank, turn.thread)[-MOST_BEFORE:]
    query = ReflectQuery(
        RecallQuery(clean_query(turn.text), timezone.now(), max_tokens=MEMORY_TOKENS, fills=True),
        context=write_conversation(before),
        answer_tokens=ANSWER_TOKENS,
        forms_opinions=False,
        directives=(CONVERSATION,),
    )
    return answer_and_retain(access, bank, turn, open_reflection(access, bank_id, query))


def answer_and_retain(
    access: BankAccess, bank: Bank, turn: ChatTurn, events: Generator[Event, None, None]
) -> Generator[Event | Retaining, None, None]:
    asked_at = timezone.now()
    said = [GivenMessage("user", turn.text, asked_at, name=turn.speaker)]
    try:
        for event in events:
            yield event
            if isinstance(event, Done):
                said += write_reply(bank, event.result)
    finally:
        events.close()
    item = RetainItem(said_at=asked_at, messages=tuple(said), thread=turn.thread, context="A chat with the agent.")
    yield Retaining(retain(access, bank.bank_id, [item], wait=False))


def write_reply(bank: Bank, result: ReflectResult) -> list[GivenMessage]:
    """Quoted memories are no words of the agent: they are in the memory already. Citations are of this answer only."""
    if result.engine == "builtin":
        return []
    return [GivenMessage("assistant", drop_marks(result.text), timezone.now(), name=bank.name or bank.bank_id)]


def read_chat(bank: Bank, thread: str) -> list[Message]:
    """The last messages, oldest first. Call inside a tenant transaction."""
    rows = Message.objects.of_bank(bank).filter(thread=thread).order_by("-said_at", "-id")[:MOST_MESSAGES]
    return list(rows)[::-1]


def write_conversation(messages: Sequence[Message]) -> str:
    return "\n".join(f"{one.speaker}: {one.content[:LONGEST_BEFORE]}" for one in messages)
