"""The history of a memory as mem0 tells it: an ADD, then every change by an UPDATE, a DELETE or another ADD."""

from collections.abc import Sequence
from typing import Any

from banks.lifecycle.history import History
from banks.models import UnitChange, UnitSource
from memoryplatform.api.compat.mem0.metadata import FEEDBACK, FEEDBACK_REASON, ROLE, USUAL_ROLE, read_metadata
from memoryplatform.api.compat.mem0.owners import describe_owners, list_categories
from memoryplatform.operations.memories.described_units import DescribedUnit, quote

Action = UnitChange.Action
EVENTS = {
    Action.EDITED.value: "UPDATE",
    Action.MERGED.value: "UPDATE",
    Action.INVALIDATED.value: "DELETE",
    Action.SUPERSEDED.value: "DELETE",
    Action.RESTORED.value: "ADD",
}


def describe_history(shown: DescribedUnit, history: History) -> list[dict[str, Any]]:
    """The oldest first, each with the text and the metadata that it left behind."""
    unit, changes = shown.unit, [change for change in history.changes if tells(change)]
    about = describe_about(shown)
    text = find_first("text", changes, otherwise=unit.text)
    metadata = find_first("metadata", changes, otherwise=shown.metadata)
    added = {"id": unit.id, "old_memory": None, "new_memory": text, "event": "ADD"}
    at = {"created_at": unit.recorded_at, "updated_at": unit.recorded_at}
    steps = [about | added | {"metadata": read_metadata(metadata)} | at]
    for change in changes:
        before, text = text, change.after.get("text", text)
        metadata = change.after.get("metadata", metadata)
        steps.append(about | describe_step(change, before, text) | {"metadata": read_metadata(metadata)})
    return steps


def find_first(name: str, changes: Sequence[UnitChange], *, otherwise: Any) -> Any:
    """What it was before the first change of it, or what it still is."""
    return next((change.before[name] for change in changes if name in change.before), otherwise)


def describe_step(change: UnitChange, before: str, after: str) -> dict[str, Any]:
    event = EVENTS[change.action]
    return {
        "id": change.id,
        "old_memory": before,
        "new_memory": None if event == "DELETE" else after,
        "event": event,
        "created_at": change.changed_at,
        "updated_at": change.changed_at,
    }


def describe_about(shown: DescribedUnit) -> dict[str, Any]:
    owners = describe_owners(shown.tags)
    return {
        "memory_id": shown.unit.id,
        "input": [describe_input(source) for source in shown.sources if source.message or source.chunk],
        **owners,
        "session_id": owners["run_id"],
        "categories": list_categories(shown.tags),
    }


def describe_input(source: UnitSource) -> dict[str, str]:
    return {"role": source.message.role if source.message else find_role(source), "content": quote(source)}


def find_role(source: UnitSource) -> str:
    """Of a text that was stored as it is."""
    document = source.chunk.document if source.chunk else None
    return str(document.metadata.get(ROLE, USUAL_ROLE)) if document else USUAL_ROLE


def tells(change: UnitChange) -> bool:
    """Feedback that was noted on the memory is no change of it, nor is that somebody else said it too."""
    fields = set(change.before) | set(change.after)
    if change.action != Action.EDITED or fields != {"metadata"}:
        return True
    before, after = change.before.get("metadata", {}), change.after.get("metadata", {})
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return not changed <= {FEEDBACK, FEEDBACK_REASON, ROLE}
