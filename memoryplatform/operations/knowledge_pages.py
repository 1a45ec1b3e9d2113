"""Knowledge pages: mental models in a tree of folders. Use-cases of the tree, of one page, and the search for pages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db.models import Q

from banks.models import Bank
from memoryplatform.operations import mental_models
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.mental_models import MentalModelChange, ShownModel
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import screen_fields
from providers.registry import get_embedder
from reflection.errors import KnowledgeNodeInvalid, KnowledgeNodeNotFound
from reflection.mental_models import merge_trigger
from reflection.models import KnowledgeNode, MentalModel
from retrieval.analysis import QUERY_VECTORS

# A page follows its memories unless it is given a schedule.
PAGE_TRIGGER: Mapping[str, Any] = {"mode": "delta", "refresh_after_consolidation": True}
MOST_SEARCHED = 500  # pages of a bank, the newest
RRF_K = 60
WORD = re.compile(r"\w+")
EVERY = Q()


@dataclass(frozen=True)
class ShownNode:
    """`shown` is the mental model of a page; None for a folder."""

    node: KnowledgeNode
    shown: ShownModel | None
    children: list["ShownNode"] = field(default_factory=list)


@dataclass(frozen=True)
class FoundPage:
    """`score`: 1 if the page is first by its words and by its question."""

    node: KnowledgeNode
    model: MentalModel
    score: float


def show_tree(access: BankAccess, bank_id: str, *, pages: Q = EVERY) -> list[ShownNode]:
    """The roots, each with its children: folders by name, then pages by name. `pages` filters mental models."""
    with bank_transaction(access, bank_id) as bank:
        nodes = list(KnowledgeNode.objects.of_bank(bank).order_by("id"))
        wanted = {node.mental_model_id for node in nodes if node.mental_model_id}
        models = list(MentalModel.objects.of_bank(bank).filter(pages, id__in=wanted))
        shown = {one.model.id: one for one in mental_models.show_models(bank, models)}
    by_id = {
        node.id: ShownNode(node, shown.get(node.mental_model_id) if node.mental_model_id else None)
        for node in nodes
        if node.is_folder or node.mental_model_id in shown
    }
    roots: list[ShownNode] = []
    for one in by_id.values():
        parent = by_id.get(one.node.parent_id) if one.node.parent_id else None
        (parent.children if parent else roots).append(one)
    for siblings in (roots, *(one.children for one in by_id.values())):
        siblings.sort(key=lambda one: (one.shown is not None, name_of_node(one).casefold(), one.node.id))
    return roots


def name_of_node(shown: ShownNode) -> str:
    return shown.shown.model.name if shown.shown else shown.node.name


def show_page(access: BankAccess, bank_id: str, page_id: str) -> ShownNode:
    with bank_transaction(access, bank_id) as bank:
        node = get_node(bank, page_id)
        if node.is_folder:
            raise KnowledgeNodeNotFound(page_id)
        return show_node(bank, node)


def create_folder(access: BankAccess, bank_id: str, name: str, parent_id: str | None) -> ShownNode:
    with bank_transaction(access, bank_id) as bank:
        fields = screen_fields(bank, {"name": name}, are_settings=True)
        parent = get_folder(bank, parent_id)
        node = KnowledgeNode.objects.for_tenant(access.tenant_id).create(bank=bank, parent=parent, **fields)
        return ShownNode(node, None)


def create_page(
    access: BankAccess, bank_id: str, change: MentalModelChange, parent_id: str | None
) -> tuple[ShownNode, Operation]:
    """Returns the page and the operation that writes its content."""
    with bank_transaction(access, bank_id) as bank:
        parent = get_folder(bank, parent_id)
        trigger = merge_trigger(PAGE_TRIGGER, change.trigger or {})
        wanted = MentalModelChange(**{**change.given(), "trigger": trigger})
        shown, operation = mental_models.create_model(access, bank_id, None, wanted)
        rows = KnowledgeNode.objects.for_tenant(access.tenant_id)
        return ShownNode(rows.create(bank=bank, parent=parent, mental_model=shown.model), shown), operation


def change_node(
    access: BankAccess,
    bank_id: str,
    node_id: str,
    change: MentalModelChange,
    *,
    moves: bool = False,
    parent_id: str | None = None,
) -> ShownNode:
    """With `moves` the node goes into the folder `parent_id`, or to the root. A new question refreshes a page."""
    with bank_transaction(access, bank_id, lock=moves) as bank:  # two moves at once could make a circle
        node = get_node(bank, node_id, lock=True)
        if moves:
            node.parent = get_folder(bank, parent_id)
            check_no_circle(bank, node)
        if node.is_folder:
            if set(change.given()) - {"name"}:
                raise KnowledgeNodeInvalid("A folder has a name and a parent only.")
            node.name = screen_fields(bank, {"name": change.name or node.name}, are_settings=True)["name"]
        node.save()
        if node.mental_model is not None and change.given():
            mental_models.change_model(access, bank_id, node.mental_model.key, change)
            if change.source_query is not None:
                mental_models.refresh_model(access, bank_id, node.mental_model.key)
        return show_node(bank, get_node(bank, node_id))


def delete_node(access: BankAccess, bank_id: str, node_id: str) -> int:
    """Deletes a page with its mental model, or a folder with all that is in it. Returns the number of nodes."""
    with bank_transaction(access, bank_id) as bank:
        node = get_node(bank, node_id, lock=True)
        doomed = find_subtree(bank, node)
        for one in doomed:
            if one.mental_model is not None:
                mental_models.delete_model(access, bank_id, one.mental_model.key)
        KnowledgeNode.objects.of_bank(bank).filter(id__in=[one.id for one in doomed]).delete()
        return len(doomed)


def find_subtree(bank: Bank, root: KnowledgeNode) -> list[KnowledgeNode]:
    rows = KnowledgeNode.objects.of_bank(bank).select_related("mental_model")
    found, level = [root], [root]
    while level := list(rows.filter(parent__in=level)):
        found += level
    return found


def check_no_circle(bank: Bank, node: KnowledgeNode) -> None:
    if node.parent_id in {one.id for one in find_subtree(bank, node)}:
        raise KnowledgeNodeInvalid("A folder can't be moved into itself.")


def get_node(bank: Bank, node_id: str, *, lock: bool = False) -> KnowledgeNode:
    rows = KnowledgeNode.objects.of_bank(bank).select_related("mental_model")
    try:
        wanted = rows.filter(id=UUID(node_id))
    except ValueError:
        raise KnowledgeNodeNotFound(node_id.replace("\x00", "?")[:200]) from None
    node = (wanted.select_for_update(no_key=True, of=("self",)) if lock else wanted).first()
    if node is None:
        raise KnowledgeNodeNotFound(node_id)
    return node


def get_folder(bank: Bank, folder_id: str | None) -> KnowledgeNode | None:
    """None is the root."""
    if folder_id is None:
        return None
    node = get_node(bank, folder_id)
    if not node.is_folder:
        raise KnowledgeNodeInvalid("The parent must be a folder.")
    return node


def show_node(bank: Bank, node: KnowledgeNode) -> ShownNode:
    if node.mental_model is None:
        return ShownNode(node, None)
    (shown,) = mental_models.show_models(bank, [node.mental_model])
    return ShownNode(node, shown)


def search_pages(access: BankAccess, bank_id: str, text: str, *, limit: int, pages: Q = EVERY) -> list[FoundPage]:
    """By the words of the pages and by the nearness of their questions, fused by rank. The best first."""
    with bank_transaction(access, bank_id) as bank:
        nodes = KnowledgeNode.objects.of_bank(bank).filter(mental_model__isnull=False).order_by("-id")[:MOST_SEARCHED]
        places = {node.mental_model_id: node for node in nodes if node.mental_model_id}
        models = list(MentalModel.objects.of_bank(bank).filter(pages, id__in=places))
        by_words = rank_by_words(bank, text, [model.id for model in models])
    by_question = rank_by_question(bank, text, models)
    scores: dict[UUID, float] = {}
    for ranked in (by_words, by_question):
        for rank, model_id in enumerate(ranked, start=1):
            scores[model_id] = scores.get(model_id, 0.0) + (RRF_K + 1) / (RRF_K + rank) / 2
    found = [FoundPage(places[one.id], one, scores[one.id]) for one in models if one.id in scores]
    return sorted(found, key=lambda one: (-one.score, one.model.id))[:limit]


def rank_by_words(bank: Bank, text: str, model_ids: Sequence[UUID]) -> list[UUID]:
    """Any of the words may occur. Call inside a tenant transaction."""
    words = " | ".join(dict.fromkeys(WORD.findall(text)))
    if not words:
        return []
    query = SearchQuery(words, config="simple", search_type="raw")
    vector = SearchVector("name", "source_query", "content", config="simple")
    rows = (
        MentalModel.objects.of_bank(bank)
        .filter(id__in=model_ids)
        .annotate(words=vector, rank=SearchRank(vector, query))
    )
    return list(rows.filter(words=query).order_by("-rank", "id").values_list("id", flat=True))


def rank_by_question(bank: Bank, text: str, models: Sequence[MentalModel]) -> list[UUID]:
    """Call outside of transactions: it embeds."""
    if not models:
        return []
    embedder = get_embedder(bank.embedding_model)
    asked, _ = QUERY_VECTORS.embed(text, embedder)
    cosines = {one.id: float(np.dot(asked, QUERY_VECTORS.embed(one.source_query, embedder)[0])) for one in models}
    return sorted(cosines, key=lambda model_id: (-cosines[model_id], model_id))
