"""Look-ups in memory: those that a question needs at once, side by side, and those that a model asks for later."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from uuid import UUID

from banks.entities.names.normalise import normalise_name
from banks.models import Bank
from reflection.reflect.llm.notes import WrittenLookUp
from reflection.reflect.llm.references import find_memory
from reflection.reflect.lookups.gathered import Gathered
from reflection.reflect.lookups.merging import leave_out_known, merge
from reflection.reflect.lookups.named_entities import find_named_entities
from reflection.reflect.lookups.opened_sources import OpenedSource, open_source
from reflection.reflect.lookups.question_parts import list_parts
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import LookUp, LookUpKind, Trace
from reflection.reflect.types import Labelled, ReflectQuery
from retrieval.query.cleaning import clean_query
from retrieval.query.errors import QueryWithoutWords
from retrieval.query.names import list_name_candidates
from retrieval.threads import start
from retrieval.types import RecallQuery, RecallResult

MOST_NAMED = 3  # entities of a question that are followed at once
SHARE_OF_A_ROUND = 0.5  # of the memories' tokens, for what a further round brings


@dataclass(frozen=True)
class Wanted:
    kind: LookUpKind
    text: str
    query: RecallQuery


@dataclass(frozen=True)
class Found:
    wanted: Wanted
    result: RecallResult
    milliseconds: float


@dataclass(frozen=True)
class Round:
    """What a further round of look-ups brought. `entity_ids` are those that were followed by name."""

    memories: tuple[Labelled, ...]
    sources: tuple[OpenedSource, ...]
    entity_ids: tuple[UUID, ...]


class Looker:
    """Looks things up in one bank for one answer. What it finds goes to `gathered` and into the trace."""

    def __init__(self, bank: Bank, query: ReflectQuery, tools: ReflectTools, trace: Trace) -> None:
        self.gathered = Gathered()
        self._bank = bank
        self._query = query
        self._tools = tools
        self._trace = trace

    @property
    def question(self) -> str:
        return self._query.recall.text

    @property
    def is_by_tags(self) -> bool:
        """Whether what is found is only what some may see."""
        return self._query.recall.filters.tags is not None

    def look_first(self) -> RecallResult:
        """The question; with a wider look its parts and the entities that it names too. Returns the question's own."""
        question = Wanted("recall", self._query.recall.text, self._query.recall)
        wider = self._list_wider() if self._query.looks_wider else []
        found = self._recall_all([question, *wider])
        items = merge([one.result.items for one in found], max_tokens=self._query.recall.max_tokens)
        self._take(found, self.gathered.add(items))
        return found[0].result

    def look_again(self, asked: Sequence[WrittenLookUp]) -> Round:
        wanted = [one for one in map(self._read_recall, asked) if one is not None]
        found = self._recall_all(wanted)
        tokens = int(self._query.recall.max_tokens * SHARE_OF_A_ROUND)
        fresh = [leave_out_known(one.result.items, self.gathered) for one in found]
        new = self.gathered.add(merge(fresh, max_tokens=tokens)) if fresh else []
        self._take(found, new)
        sources = [one for one in map(self._open, asked) if one is not None]
        names = [normalise_name(one.text) for one in wanted if one.kind == "entity"]
        entities = find_named_entities(self._bank, names, most=MOST_NAMED)
        return Round(tuple(new), tuple(sources), tuple(entity.id for entity in entities))

    def _list_wider(self) -> list[Wanted]:
        asked = self._query.recall
        parts = [self._want(part, asked) for part in list_parts(asked.text)]
        if asked.filters.entities:
            return parts
        entities = find_named_entities(self._bank, list_name_candidates(asked.text), most=MOST_NAMED)
        return parts + [self._follow(entity.name) for entity in entities]

    def _want(self, text: str, query: RecallQuery) -> Wanted:
        return Wanted("recall", text, replace(query, text=text))

    def _follow(self, name: str) -> Wanted:
        """The question's own words, among what mentions the entity."""
        asked = self._query.recall
        return Wanted("entity", name, replace(asked, filters=replace(asked.filters, entities=(name,))))

    def _read_recall(self, asked: WrittenLookUp) -> Wanted | None:
        if asked.entity.strip():
            return self._follow(asked.entity.strip())
        try:
            return self._want(clean_query(asked.recall), self._query.recall)
        except QueryWithoutWords:
            return None

    def _recall_all(self, wanted: Sequence[Wanted]) -> list[Found]:
        """Side by side; one alone stays in this thread."""
        with self._trace.away():
            if len(wanted) == 1:
                return [self._recall(wanted[0])]
            futures = [start(self._tools.executor, self._recall_of(one)) for one in wanted]
            return [future.result() for future in futures]

    def _recall_of(self, wanted: Wanted) -> Callable[[], Found]:
        return partial(self._recall, wanted)

    def _recall(self, wanted: Wanted) -> Found:
        begun = perf_counter()
        result = self._tools.recalling(self._bank, wanted.query, self._tools.recall)
        return Found(wanted, result, round((perf_counter() - begun) * 1000, 3))

    def _take(self, found: Sequence[Found], new: Sequence[Labelled]) -> None:
        """Tokens of a memory that several look-ups found count for the first of them."""
        left = {memory.id: memory.item.tokens for memory in new}
        for one in found:
            ids = tuple(item.candidate.id for item in one.result.items)
            tokens = sum(left.pop(memory_id, 0) for memory_id in ids)
            look_up = LookUp(one.wanted.kind, one.wanted.text, len(self._trace.calls), ids, tokens, one.milliseconds)
            self._trace.look_ups.append(look_up)
            self._trace.spent += one.result.usage

    def _open(self, asked: WrittenLookUp) -> OpenedSource | None:
        memory = find_memory(self.gathered, str(asked.source).strip("[] "))
        if memory is None:
            return None
        begun = perf_counter()
        opened = open_source(self._bank.tenant_id, memory, self._query.recall.filters)
        milliseconds = round((perf_counter() - begun) * 1000, 3)
        self._trace.look_ups.append(
            LookUp("source", memory.mark, len(self._trace.calls), opened.ids, opened.tokens, milliseconds)
        )
        return opened
