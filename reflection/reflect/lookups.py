"""Look-ups in memory: the recalls that a question starts with, and those that a model asks for later."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from time import perf_counter
from uuid import UUID

from banks.entities.names.normalise import normalise_name
from banks.models import Bank, EntityName
from providers import tokens
from reflection.reflect.found_memories import FoundMemories, merge_results
from reflection.reflect.notes import WrittenLookUp
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import LookUp, LookUpKind, Trace
from reflection.reflect.types import LabelledMemory, ReflectQuery
from retrieval.analysis import clean_query
from retrieval.errors import QueryWithoutWords
from retrieval.filters.types import Filters
from retrieval.includes import find_quotable, include_chunks, include_messages
from retrieval.query.names import list_name_candidates
from retrieval.threads import start
from retrieval.types import RecallQuery, RecallResult
from tenants.transactions import tenant_transaction

MOST_NAMED = 3  # entities of a question that are looked up
SHARE_OF_A_ROUND = 0.5  # of the memories' tokens, for the results of a further round
MOST_SOURCE_TOKENS = 1_000


@dataclass(frozen=True)
class RecallRequest:
    kind: LookUpKind
    text: str
    query: RecallQuery


TimedRecall = tuple[RecallRequest, RecallResult, float]  # with the milliseconds that it took


@dataclass(frozen=True)
class OpenedSource:
    """The messages or chunks that a memory rests on. `passages` are pairs of heading and text."""

    memory: LabelledMemory
    ids: tuple[UUID, ...]
    passages: tuple[tuple[str, str], ...]

    @property
    def tokens(self) -> int:
        return sum(tokens.count(text) for _, text in self.passages)


@dataclass(frozen=True)
class LookUpRound:
    """The results of one round that a model asked for. `entity_ids` are the entities that it named.

    `again` are memories that the model was shown before, and that the round found as well.
    """

    memories: tuple[LabelledMemory, ...]
    sources: tuple[OpenedSource, ...]
    entity_ids: tuple[UUID, ...]
    again: tuple[LabelledMemory, ...] = ()


@dataclass(frozen=True)
class MemoryLookups:
    """The look-ups of one answer in one bank. The results go to `found` and into the trace."""

    bank: Bank
    query: ReflectQuery
    tools: ReflectTools
    trace: Trace
    found: FoundMemories = field(default_factory=FoundMemories)

    def recall_question(self) -> RecallResult:
        """The recall of the question. `looks_wider` adds recalls of the entities that it names.

        Without a model there is no wider look: an extractive answer keeps the order of one recall.
        """
        question = RecallRequest("recall", self.query.recall.text, self.query.recall)
        looks_wider = self.query.looks_wider and self.tools.llm is not None
        recalls = self._recall_all([question, *(self._list_named_entities() if looks_wider else [])])
        results = [result for _, result, _ in recalls]
        items = merge_results([one.items for one in results], max_tokens=self.query.recall.max_tokens)
        self._note_recalls(recalls, self.found.add(items))
        return results[0]

    def run_round(self, asked: Sequence[WrittenLookUp]) -> LookUpRound:
        requests = [one for one in map(self._read_request, asked) if one is not None]
        recalls = self._recall_all(requests)
        most = int(self.query.recall.max_tokens * SHARE_OF_A_ROUND)
        met = {item.candidate.id for _, result, _ in recalls for item in result.items}
        again = tuple(memory for memory in self.found.shown if memory.id in met)
        fresh = [[item for item in result.items if item.candidate.id not in self.found] for _, result, _ in recalls]
        new = self.found.add(merge_results(fresh, max_tokens=most)) if fresh else []
        self._note_recalls(recalls, new)
        sources = [one for one in map(self._open_source, asked) if one is not None]
        names = [normalise_name(one.text) for one in requests if one.kind == "entity"]
        entities = find_named_entities(self.bank, names)
        return LookUpRound(tuple(new), tuple(sources), tuple(entities), again)

    def _list_named_entities(self) -> list[RecallRequest]:
        asked = self.query.recall
        if asked.filters.entities:
            return []
        entities = find_named_entities(self.bank, list_name_candidates(asked.text))
        return [self._request_entity(name) for name in entities.values()]

    def _request_entity(self, name: str) -> RecallRequest:
        """The question, among the memories that mention the entity."""
        asked = self.query.recall
        return RecallRequest("entity", name, replace(asked, filters=replace(asked.filters, entities=(name,))))

    def _read_request(self, asked: WrittenLookUp) -> RecallRequest | None:
        if asked.entity.strip():
            return self._request_entity(asked.entity.strip())
        try:
            text = clean_query(asked.recall)
        except QueryWithoutWords:
            return None
        return RecallRequest("recall", text, replace(self.query.recall, text=text))

    def _recall_all(self, requests: Sequence[RecallRequest]) -> list[TimedRecall]:
        """In parallel; a single recall stays in this thread."""
        with self.trace.away():
            if len(requests) == 1:
                return [self._recall(requests[0])]
            futures = [start(self.tools.executor, partial(self._recall, one)) for one in requests]
            return [future.result() for future in futures]

    def _recall(self, request: RecallRequest) -> TimedRecall:
        begun = perf_counter()
        result = self.tools.recalling(self.bank, request.query, self.tools.recall)
        return request, result, measure_since(begun)

    def _note_recalls(self, recalls: Sequence[TimedRecall], new: Sequence[LabelledMemory]) -> None:
        """The tokens of a memory that several recalls found count for the first of them."""
        left = {memory.id: memory.item.tokens for memory in new}
        for request, result, milliseconds in recalls:
            ids = tuple(item.candidate.id for item in result.items)
            count = sum(left.pop(memory_id, 0) for memory_id in ids)
            self._note(request.kind, request.text, ids, count, milliseconds)
            self.trace.spent += result.usage

    def _open_source(self, asked: WrittenLookUp) -> OpenedSource | None:
        memory = self.found.find_shown(str(asked.source).strip("[] "))
        if memory is None:
            return None
        begun = perf_counter()
        opened = open_source(self.bank.tenant_id, memory, self.query.recall.filters)
        self._note("source", memory.mark, opened.ids, opened.tokens, measure_since(begun))
        return opened

    def _note(self, kind: LookUpKind, text: str, found: tuple[UUID, ...], count: int, milliseconds: float) -> None:
        self.trace.look_ups.append(LookUp(kind, text, len(self.trace.calls), found, count, milliseconds))


def measure_since(begun: float) -> float:
    """Milliseconds."""
    return round((perf_counter() - begun) * 1000, 3)


def find_named_entities(bank: Bank, normalised_names: Sequence[str]) -> dict[UUID, str]:
    """The entities of the bank that have one of the names, with their canonical names, the most mentioned first."""
    if not normalised_names:
        return {}
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, normalised_name__in=list(normalised_names)
    )
    with tenant_transaction(bank.tenant_id):
        by_mentions = rows.order_by("-entity__mention_count", "entity_id").values_list("entity_id", "entity__name")
        found = dict(by_mentions[: MOST_NAMED * 4])
    return dict(islice(found.items(), MOST_NAMED))


def open_source(tenant_id: UUID, memory: LabelledMemory, filters: Filters) -> OpenedSource:
    """The messages that the memory quotes, else its chunks. Empty if the filters of the question hide them."""
    candidate = memory.item.candidate
    if candidate.kind == "chunk":
        text = tokens.truncate(candidate.text, MOST_SOURCE_TOKENS)
        return OpenedSource(memory, (memory.id,), ((candidate.context, text),))
    quoted = find_quotable([memory.item], filters)
    messages = include_messages(tenant_id, quoted, max_tokens=MOST_SOURCE_TOKENS)
    if messages:
        passages = tuple((f"{one.speaker}, {one.said_at:%Y-%m-%d %H:%M}", one.text) for one in messages)
        return OpenedSource(memory, tuple(one.id for one in messages), passages)
    chunks = include_chunks(tenant_id, quoted, max_tokens=MOST_SOURCE_TOKENS)
    return OpenedSource(memory, tuple(one.id for one in chunks), tuple((one.heading, one.text) for one in chunks))
