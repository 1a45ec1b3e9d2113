"""A LangGraph store that keeps its items in banks and finds them by meaning. Needs the extra `langgraph`."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    NamespacePath,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from memoryplatform_client.adapters.conditions import matches, satisfies
from memoryplatform_client.adapters.places import bank_of, document_of, key_of, namespace_of
from memoryplatform_client.client import MemoryClient
from memoryplatform_client.errors import NotFound
from memoryplatform_client.options.recall import Include

MOST_BANKS = 20  # per recall
MOST_ROWS = 200  # per page
LONGEST_Q = 200  # characters of the filter `q` of banks
MOST_TOKENS = 100_000  # per search: a store limits items, not tokens
RANKED: Include = {"details": {}, "scores": {}}


class MemoryStore(BaseStore):
    """`prefix` begins the ids of the store's banks. Stores with different prefixes do not share items."""

    __slots__ = ("_client", "_prefix")

    def __init__(self, client: MemoryClient, *, prefix: str = "langgraph") -> None:
        if "." in prefix or not prefix:
            raise ValueError("The prefix of a store has no period and is not empty.")
        self._client = client
        self._prefix = prefix

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._perform(one) for one in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _perform(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._find(op.namespace, op.key)
            case PutOp():
                self._put(op)
                return None
            case SearchOp():
                found = (one for one in self._candidates(op) if satisfies(one.value, op.filter))
                return list(islice(found, op.offset, op.offset + op.limit))
            case ListNamespacesOp():
                return self._list_namespaces(op)
        raise TypeError(f"{type(op).__name__} is no operation of a store.")

    def _find(self, namespace: tuple[str, ...], key: str) -> Item | None:
        try:
            document = self._client.documents.get(bank_of(self._prefix, namespace), document_of(key))
        except NotFound:
            return None
        value = json.loads(document.original_text)
        return Item(
            value=value,
            key=key,
            namespace=namespace,
            created_at=document.created_at,
            updated_at=document.updated_at,
        )

    def _put(self, op: PutOp) -> None:
        """A put without a value is a deletion. A missing item is no error."""
        bank_id, document_id = bank_of(self._prefix, op.namespace), document_of(op.key)
        if op.value is not None:
            text = json.dumps(dict(op.value), ensure_ascii=False)
            self._client.retain(bank_id, text, document_id=document_id, infer=False)
            return
        try:
            self._client.documents.delete(bank_id, document_id)
        except NotFound:
            return

    def _candidates(self, op: SearchOp) -> Iterator[SearchItem]:
        namespaces = list(self._namespaces(op.namespace_prefix))
        places = self._ranked(namespaces, op.query) if op.query else self._listed(namespaces)
        for namespace, key, score in places:
            item = self._find(namespace, key)
            if item is not None:
                yield SearchItem(namespace, key, item.value, item.created_at, item.updated_at, score)

    def _ranked(self, namespaces: list[tuple[str, ...]], query: str) -> Iterator[tuple[tuple[str, ...], str, float]]:
        """Best first, each item once. If there are more banks than one recall takes, several recalls share them.

        A store's own limit decides how many are returned, not their relevance.
        """
        best: dict[tuple[tuple[str, ...], str], float] = {}
        banks = [bank_of(self._prefix, one) for one in namespaces]
        for start in range(0, len(banks), MOST_BANKS):
            asked = banks[start : start + MOST_BANKS]
            recalled = self._client.recall_across(asked, query, max_tokens=MOST_TOKENS, fill=True, include=RANKED)
            for one in recalled.results:
                namespace = namespace_of(self._prefix, one.bank_id or "")
                if namespace is not None and one.document_id is not None and one.scores is not None:
                    place = (namespace, key_of(one.document_id))
                    best[place] = max(best.get(place, 0.0), one.scores.final)
        for place, score in sorted(best.items(), key=lambda pair: -pair[1]):
            yield *place, score

    def _listed(self, namespaces: list[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], str, None]]:
        for namespace in namespaces:
            for document in self._client.documents.list(bank_of(self._prefix, namespace), limit=MOST_ROWS):
                yield namespace, key_of(document.id), None

    def _namespaces(self, below: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """`below` and the namespaces under it. The service's filter matches anywhere in an id or a name."""
        letters = bank_of(self._prefix, below or ("",))[:LONGEST_Q]
        for bank in self._client.banks.list(q=letters, limit=MOST_ROWS):
            namespace = namespace_of(self._prefix, bank.bank_id)
            if namespace is not None and namespace[: len(below)] == below:
                yield namespace

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        below = next((plain_part(one.path) for one in conditions if one.match_type == "prefix"), ())
        matching = (one for one in self._namespaces(below) if all(matches(one, condition) for condition in conditions))
        cut = sorted({one[: op.max_depth] if op.max_depth else one for one in matching})
        return cut[op.offset : op.offset + op.limit]


def plain_part(path: NamespacePath) -> tuple[str, ...]:
    """The labels before the first wildcard."""
    return tuple(takewhile(lambda label: label != "*", path))
