"""A chat request of an OpenAI client: it gets memories, goes to the language model, and its exchange is retained.

1. Recall for the last message of the user.
2. Add the memories to the system message, fenced as data.
3. Forward the request, and pass the answer on as it arrives.
4. Record the tokens, and retain the user's message with the answer, unless the model calls tools first.
"""

import hashlib
import json
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import structlog
from django.utils import timezone

from banks.errors import BankNotFound
from banks.models import Bank
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.own_llm import check_tokens, find_llm
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.models import Operation
from memoryplatform.operations.recall import load_banks
from memoryplatform.operations.reflect import build_recall_tools, recall_and_log
from memoryplatform.operations.retain import retain
from providers.llm.forwarding import Body, ForwardedAnswer, ForwardingLLM, get_forwarding, read_text
from providers.llm.prompting.fence import build_data_rule, fence
from providers.llm.protocol import Task
from providers.usage import Usage
from reflection.reflect.context import list_properties, quote
from retrieval.analysis import clean_query
from retrieval.errors import QueryWithoutWords
from retrieval.types import RecallItem, RecallQuery
from tenants.models import Quota, UsageRecord
from tenants.quotas import warn_of_quotas
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

log = structlog.get_logger(__name__)
MEMORY_TOKENS = 1_500
CONFIGURED_MODEL = "default"  # the name of whatever model is configured
SYSTEM_ROLES = ("system", "developer")
LONGEST_NAME = 200
CONTEXT = "A chat with an assistant."
MEMORY_RULES = f"""\
Your memory of earlier conversations stands below: the passages that fit the last message best, each with its date and \
its source. Use what helps to answer, and leave the rest. Where two contradict each other, the later one holds. Do not \
mention this list.
{build_data_rule("memory")}"""


class NoLanguageModel(OperationError):
    code = "no_language_model"

    def __init__(self) -> None:
        super().__init__(
            "No language model is configured. Save your own on the page Settings or by PUT /v1/account/llm, or let the "
            "operator set LLM_BASE_URL and LLM_MODEL."
        )


@dataclass(frozen=True)
class ChatRequest:
    """`body` is the client's. `thread` and `retain_key` come from its headers."""

    bank_id: str
    body: Body
    thread: str = ""
    retain_key: str | None = None

    @property
    def question(self) -> str:
        """The text of the user's last message."""
        asked = [one for one in self.body["messages"] if one.get("role") == "user"]
        return read_text(asked[-1].get("content")) if asked else ""

    @property
    def speaker(self) -> str:
        asked = [one.get("name") for one in self.body["messages"] if one.get("role") == "user"]
        name = (asked[-1] if asked else None) or self.body.get("user")
        return name[:LONGEST_NAME] if isinstance(name, str) else ""


@dataclass(frozen=True)
class ChatTurn:
    """A request that is ready to be forwarded. `model` None stands for the configured one."""

    access: BankAccess
    request: ChatRequest
    llm: ForwardingLLM
    body: Body
    model: str | None
    bank: Bank | None
    recalled: Usage
    asked_at: datetime
    answer: ForwardedAnswer = field(default_factory=ForwardedAnswer)


def prepare_turn(access: BankAccess, request: ChatRequest) -> ChatTurn:
    """Raises for a missing model, a used-up quota or a bank out of reach, before the model is asked.

    A bank that does not exist has no memories, and the first exchange creates it, as a retain does.
    """
    llm = find_llm(access.tenant_id, Task.REFLECT, bank_id=request.bank_id)
    if llm is None:
        raise NoLanguageModel
    check_tokens(access.tenant_id, Task.REFLECT)
    asked_at = timezone.now()
    bank = find_bank(access, request.bank_id)
    with tenant_transaction(access.tenant_id):
        access.record("chat.asked", f"bank:{request.bank_id}")
    memories, usage = recall_for(access, bank, request.question, asked_at) if bank else ((), Usage())
    messages = add_memories(request.body["messages"], memories, asked_at)
    body = {**request.body, "messages": messages}
    model = choose_model(llm.service == "own_llm", request.body.get("model"))
    return ChatTurn(access, request, get_forwarding(llm), body, model, bank, usage, asked_at)


def find_bank(access: BankAccess, bank_id: str) -> Bank | None:
    """None for a bank that the first exchange will create."""
    try:
        return load_banks(access, [bank_id])[0]
    except BankNotFound:
        if not access.reaches(bank_id):
            raise
        return None


def recall_for(access: BankAccess, bank: Bank, question: str, asked_at: datetime) -> tuple[Sequence[RecallItem], Usage]:
    try:
        query = RecallQuery(clean_query(question), asked_at, max_tokens=MEMORY_TOKENS)
    except QueryWithoutWords:
        return (), Usage()
    result = recall_and_log(bank, query, build_recall_tools(access, bank))
    return result.items, result.usage


def choose_model(is_own: bool, wanted: object) -> str | None:  # noqa: FBT001  # the endpoint's owner decides
    """The name in the request, for a tenant's own endpoint. The service's endpoint serves its configured model only."""
    if not is_own or not isinstance(wanted, str) or wanted in {"", CONFIGURED_MODEL}:
        return None
    return wanted


def add_memories(messages: Sequence[Body], memories: Sequence[RecallItem], asked_at: datetime) -> list[Body]:
    """The messages with the memories at the end of the first system message, or in a new one before all others.

    Some endpoints take one system message only, and only at the start.
    """
    if not memories:
        return list(messages)
    added = write_memories(memories, asked_at)
    first, *rest = messages
    if first.get("role") not in SYSTEM_ROLES:
        return [{"role": "system", "content": added}, *messages]
    content = first.get("content")
    if isinstance(content, list):
        return [{**first, "content": [*content, {"type": "text", "text": added}]}, *rest]
    return [{**first, "content": f"{content or ''}\n\n{added}".lstrip()}, *rest]


def write_memories(memories: Sequence[RecallItem], asked_at: datetime) -> str:
    lines: list[str] = []
    for place, item in enumerate(memories, start=1):
        properties = list_properties(item.candidate, asked_at.tzinfo, "")
        lines += [f"{place}. {'; '.join(properties)}", *quote(item.text)]
    return f"{MEMORY_RULES}\n{fence('memory', lines)}"


def complete(turn: ChatTurn) -> tuple[Body, Operation | None]:
    """The whole answer, and the operation that retains the exchange."""
    try:
        answer = turn.llm.forward(turn.body, turn.answer, model=turn.model)
    finally:
        record_spent(turn)
    return answer, retain_exchange(turn)


def open_stream(turn: ChatTurn) -> Generator[Body, None, None]:
    """The chunks of the answer. The first one is read at once, so that a refusal of the model is raised here."""
    chunks = turn.llm.forward_stream(turn.body, turn.answer, model=turn.model)
    try:
        first = next(chunks)
    except BaseException:
        record_spent(turn)
        raise
    return read_stream(turn, first, chunks)


def read_stream(turn: ChatTurn, first: Body, rest: Generator[Body, None, None]) -> Generator[Body, None, None]:
    """An answer that breaks off, or whose client leaves, is paid for and not retained."""
    try:
        with closing(rest):
            yield first
            yield from rest
    finally:
        record_spent(turn)
    retain_exchange(turn)


def record_spent(turn: ChatTurn) -> None:
    spent = turn.recalled + turn.answer.usage
    if spent.calls:
        tenant_id, key = turn.access.tenant_id, turn.access.actor.api_key_prefix
        with tenant_transaction(tenant_id):
            record_usage(tenant_id, UsageRecord.Kind.REFLECT, spent, bank_id=turn.request.bank_id, api_key_prefix=key)
        warn_of_quotas(tenant_id, Quota.LLM_TOKENS)


def retain_exchange(turn: ChatTurn) -> Operation | None:
    """The user has the answer already, so a refusal of retain is logged and not raised.

    An answer that calls tools ends no exchange: the client sends the results, and the next answer is retained.
    """
    question, reply = clean_text(turn.request.question), clean_text(turn.answer.text)
    if not question or not reply or turn.answer.calls_tools or turn.request.body.get("store") is False:
        return None
    item = RetainItem(
        said_at=turn.asked_at,
        messages=(
            GivenMessage("user", question, turn.asked_at, name=turn.request.speaker),
            GivenMessage("assistant", reply, timezone.now(), name=turn.bank.name if turn.bank else ""),
        ),
        thread=turn.request.thread or name_thread(turn.request.body["messages"]),
        context=CONTEXT,
    )
    try:
        return retain(turn.access, turn.request.bank_id, [item], wait=False, idempotency_key=turn.request.retain_key)
    except Exception as error:  # noqa: BLE001  # quotas, protection, a database that is away
        log.warning("chat.not_retained", error=type(error).__name__, tenant_id=str(turn.access.tenant_id))
        return None


def name_thread(messages: Sequence[Body]) -> str:
    """A conversation is known by its beginning, up to the user's first message, which every request repeats."""
    places = [place for place, one in enumerate(messages) if one.get("role") == "user"]
    beginning = messages[: places[0] + 1]
    digest = hashlib.sha256(json.dumps(beginning, sort_keys=True).encode()).digest()
    return f"chat:{UUID(bytes=digest[:16])}"


def clean_text(text: str) -> str:
    return text.replace("\0", "").strip()
