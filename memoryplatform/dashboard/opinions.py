"""The list of opinions: its queues and filters, and a row for each opinion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_GET

from banks.models import Bank, Entity, MemoryUnit
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.dashboard.faults import list_choice_faults
from memoryplatform.dashboard.memories import find_entity, suggest
from memoryplatform.dashboard.opinion import State, find_state
from memoryplatform.dashboard.opinion_history import STEP_WORDS, Cause, find_move
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.memories.described_units import read_entities
from memoryplatform.operations.opinions import queues
from reflection.models import OpinionRevision
from tenants.transactions import tenant_transaction

PAGE_SIZE = 25
STATES = {queues.UNREVIEWED: "Not reviewed", "approved": "Approved", "pinned": "Pinned"}


@dataclass(frozen=True)
class Row:
    """An opinion of the list. `verdict` is the last step that evidence or the agent itself caused. `moved` is the
    last change of its confidence, which happened at `moved_at`.
    """

    opinion: MemoryUnit
    entities: list[Entity]
    steps: list[OpinionRevision]
    line: str
    verdict: OpinionRevision | None
    verdict_title: str
    verdict_kind: str
    reason: str
    state: State
    moved: float
    moved_at: datetime | None


@bank_page(Right.VIEW)
@require_GET
def opinions(request: BankRequest) -> HttpResponse:
    bank, given = request.bank, request.GET
    with tenant_transaction(request.access.tenant_id):
        named = given.get("entity", "").replace("\x00", "").strip()[:300]
        entity = find_entity(bank, named)
        wanted = read_filter(given, entity, named=named)
        rows = queues.find_queue(bank, wanted)
        found = queues.cut_page(rows, read_place(given), by_urgency=wanted.is_by_urgency, size=PAGE_SIZE)
        context: dict[str, Any] = {
            "rows": build_rows(bank, found[:PAGE_SIZE]),
            "counts": queues.count_queues(bank),
        }
        if not wants_part(request):
            context |= suggest(bank)
    query = write_query(wanted, entity)
    context |= {
        "wanted": wanted,
        "entity": entity,
        "named": entity.name if entity else named,
        "faults": list_faults(given, entity, named=named),
        "is_later_page": "after" in given,
        "query": urlencode(query),
        "is_filtered": bool(query.keys() - {"queue"}),
        "queues": [
            (name, title, context["counts"][name], urlencode(write_query(wanted, entity, queue=name)))
            for name, title in queues.QUEUES.items()
        ],
        "states": STATES,
        "next": write_next(query, found, by_urgency=wanted.is_by_urgency),
    }
    template = "results" if wants_part(request) else "list"
    answer = render(request, f"dashboard/opinions/{template}.html", context)
    answer["HX-Push-Url"] = f"{request.path}?{urlencode(query)}" if query else request.path
    return answer


def read_filter(given: QueryDict, entity: Entity | None, *, named: str) -> queues.QueueFilter:
    """Nonsense counts as not given, and `list_faults` names it. A name that no entity has matches nothing."""
    queue, review_mark = given.get("queue", ""), given.get("review", "")
    words = given.get("q", "").replace("\x00", "")[:1_000]
    return queues.QueueFilter(
        queue if queue in queues.QUEUES else queues.HELD,
        review_mark if review_mark in STATES else "",
        entity.id if entity else UUID(int=0) if named else None,
        words if words.strip() else "",
    )


def list_faults(given: QueryDict, entity: Entity | None, *, named: str) -> list[str]:
    """A sentence for each value of the address that can't be read."""
    faults = list_choice_faults(given, {"queue": ("Queue", queues.QUEUES), "review": ("State", STATES)})
    return [*faults, f"No entity of this bank is called “{named[:60]}”."] if named and entity is None else faults


def write_query(wanted: queues.QueueFilter, entity: Entity | None, *, queue: str = "") -> dict[str, str]:
    """Only what filters."""
    values = {
        "queue": queue or wanted.queue,
        "review": wanted.review,
        "entity": str(entity.id) if entity else "",
        "q": wanted.words,
    }
    return {name: value for name, value in values.items() if value and value != queues.HELD}


def read_place(given: QueryDict) -> queues.Place | None:
    changed, _, urgency = given.get("after", "").partition("_")
    try:
        return queues.Place(UUID(changed), float(urgency or 0))
    except ValueError:
        return None


def write_next(query: dict[str, str], found: Sequence[Any], *, by_urgency: bool) -> str:
    if len(found) <= PAGE_SIZE:
        return ""
    last = found[PAGE_SIZE - 1]
    place = f"{last.changed}_{last.urgency!r}" if by_urgency else str(last.changed)
    return "?" + urlencode(query | {"after": place})


def build_rows(bank: Bank, found: Sequence[Any]) -> list[Row]:
    ids = [opinion.id for opinion in found]
    entities, steps = read_entities(bank, ids), queues.read_recent_steps(bank, ids)
    verdicts = {
        opinion_id: next(one for one in reversed(some) if one.cause not in OpinionRevision.BY_PEOPLE)
        for opinion_id, some in steps.items()
        if any(one.cause not in OpinionRevision.BY_PEOPLE for one in some)
    }
    texts = queues.read_evidence_texts(bank, list(verdicts.values()))
    rows = []
    for opinion in found:
        last = verdicts.get(opinion.id)
        title, kind = STEP_WORDS[Cause(last.cause)] if last else ("", "")
        moved, moved_at = find_last_move(steps[opinion.id])
        rows.append(
            Row(
                opinion,
                entities[opinion.id][:3],
                steps[opinion.id],
                draw_line([one.confidence_after for one in steps[opinion.id]]),
                last,
                title,
                kind,
                find_reason(last, texts) if last else "",
                find_state(opinion, queues.find_concern(opinion.urgency), steps[opinion.id]),
                moved,
                moved_at,
            )
        )
    return rows


def find_reason(step: OpinionRevision, texts: Mapping[UUID, str]) -> str:
    """The evidence of a step, or its reason where it has none."""
    return (texts.get(step.evidence_id) if step.evidence_id else None) or step.reasoning


def find_last_move(steps: Sequence[OpinionRevision]) -> tuple[float, datetime | None]:
    """(0, None) if the confidence never changed."""
    for step in reversed(steps):
        before = step.confidence_before
        if before is not None and (moved := find_move(step.confidence_after - before)):
            return moved, step.created_at
    return 0.0, None


def draw_line(confidences: Sequence[float]) -> str:
    """A step line in a field of 100 by 30: each confidence holds until the next step, the last one to the end."""
    points = []
    for place, confidence in enumerate(confidences):
        x, y = place * 100 / len(confidences), 28 - 26 * confidence
        points += [f"{x:.1f},{y:.1f}", f"{x + 100 / len(confidences):.1f},{y:.1f}"]
    return " ".join(points)
