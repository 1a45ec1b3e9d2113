"""`/v1/memories/{memory_id}/`, `/v1/batch/` and `/v1/feedback/`: single memories, their history, and feedback."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from banks.lifecycle.editing import UnitEdit
from banks.lifecycle.history import History
from banks.models import UnitChange, UnitSource
from banks.rendering import render_text
from memoryplatform.api.compat.hindsight.hindsight_view import read_body
from memoryplatform.api.compat.mem0.filter_conditions import read_uuid
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.memories import describe_memory
from memoryplatform.api.compat.mem0.metadata import (
    EXPIRATION,
    FEEDBACK,
    FEEDBACK_REASON,
    IMMUTABLE,
    ROLE,
    USUAL_ROLE,
    keep_given,
    keep_own,
    list_categories,
    read_metadata,
    write_metadata,
)
from memoryplatform.api.compat.mem0.owners import describe_owners
from memoryplatform.api.compat.mem0.timestamps import read_extent
from memoryplatform.api.compat.mem0.unit_lookup import Located, locate, locate_all
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import check_given_once, prefix_faults
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.feedback import find_latest_recall, mark_result
from memoryplatform.operations.kinds.delete_memories import delete_memories
from memoryplatform.operations.memories.described_units import DescribedUnit, quote
from memoryplatform.operations.memories.single import ShownMemory, delete_memory, edit_memory, show_history, show_memory

Action = UnitChange.Action
EVENTS = {
    Action.EDITED.value: "UPDATE",
    Action.MERGED.value: "UPDATE",
    Action.INVALIDATED.value: "DELETE",
    Action.SUPERSEDED.value: "DELETE",
    Action.RESTORED.value: "ADD",
}
MOST_BATCHED = 1_000
VERDICTS = ("POSITIVE", "NEGATIVE", "VERY_NEGATIVE")


def describe_history(shown: DescribedUnit, history: History) -> list[dict[str, Any]]:
    """Oldest first. Each step has the text and the metadata after it."""
    unit, changes = shown.unit, [change for change in history.changes if is_visible_change(change)]
    about = describe_about(shown)
    text = find_original("text", changes, otherwise=unit.text)
    speaker = find_original("speaker", changes, otherwise=unit.speaker)
    metadata = find_original("metadata", changes, otherwise=shown.metadata)
    added = {"id": unit.id, "old_memory": None, "new_memory": render_text(speaker, text), "event": "ADD"}
    at = {"created_at": unit.recorded_at, "updated_at": unit.recorded_at}
    steps = [about | added | {"metadata": read_metadata(metadata)} | at]
    for change in changes:
        before = render_text(speaker, text)
        speaker, text = change.after.get("speaker", speaker), change.after.get("text", text)
        metadata = change.after.get("metadata", metadata)
        steps.append(
            about | describe_step(change, before, render_text(speaker, text)) | {"metadata": read_metadata(metadata)}
        )
    return steps


def find_original(name: str, changes: Sequence[UnitChange], *, otherwise: Any) -> Any:
    """The value before its first change, else the present one."""
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
        "categories": list_categories(shown.tags, shown.metadata),
    }


def describe_input(source: UnitSource) -> dict[str, str]:
    """A fact has no message: the document has its role."""
    document = source.chunk.document if source.chunk else None
    role = source.message.role if source.message else (document.metadata if document else {}).get(ROLE, USUAL_ROLE)
    return {"role": role, "content": quote(source)}


def is_visible_change(change: UnitChange) -> bool:
    """Feedback notes and additional roles are no changes of the memory."""
    fields = set(change.before) | set(change.after)
    if change.action != Action.EDITED or fields != {"metadata"}:
        return True
    before, after = change.before.get("metadata", {}), change.after.get("metadata", {})
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return not changed <= {FEEDBACK, FEEDBACK_REASON, ROLE}


def delete_superseded(access: BankAccess, located: Located) -> int:
    """Deletes the older memories that this one superseded."""
    older = show_history(access, located.bank_id, located.memory_id).supersedes
    delete_memories(access, [(unit.bank_id, unit.id) for unit in older])
    return len(older)


class UpdateInput(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=100_000, required=False)
    metadata = serializers.JSONField(required=False)
    timestamp = serializers.JSONField(required=False)
    expiration_date = serializers.DateField(required=False, allow_null=True)


class MemoryView(Mem0View):
    scopes: ClassVar[dict[str, str]] = {"PUT": "write read"}  # the response shows the resource

    def get(self, _request: Request, memory_id: str) -> object:
        located = locate(self.access, memory_id)
        shown = show_memory(self.access, located.bank_id, located.memory_id)
        return describe_memory(shown.described)

    def put(self, request: Request, memory_id: str) -> object:
        located = locate(self.access, memory_id)
        return describe_memory(update_memory(self.access, located, request.data).described)

    def delete(self, request: Request, memory_id: str) -> object:
        check_given_once(request.query_params, lists=())
        located = locate(self.access, memory_id)
        cascade = 0
        if request.query_params.get("delete_linked", "").lower() == "true":
            cascade = delete_superseded(self.access, located)
        delete_memory(self.access, located.bank_id, located.memory_id)
        return {"message": "Memory deleted successfully!", "cascade_count": cascade}


class MemoryHistoryView(Mem0View):
    def get(self, _request: Request, memory_id: str) -> object:
        located = locate(self.access, memory_id)
        shown = show_memory(self.access, located.bank_id, located.memory_id)
        return describe_history(shown.described, show_history(self.access, located.bank_id, located.memory_id))


def update_memory(access: BankAccess, located: Located, given: Any) -> ShownMemory:
    """New metadata replaces all metadata that the caller set before."""
    body = read_update(given)
    before = show_memory(access, located.bank_id, located.memory_id).described.metadata
    if IMMUTABLE in before:
        raise serializers.ValidationError("This memory is immutable.")
    edit = build_edit(body, before)
    return edit_memory(access, located.bank_id, located.memory_id, edit, expected=None)


def read_update(given: Any) -> dict[str, Any]:
    body: dict[str, Any] = read_body(UpdateInput, given).validated_data
    if not body:
        raise serializers.ValidationError("Give at least one of text, metadata, timestamp or expiration_date.")
    if "timestamp" in body:
        with prefix_faults("timestamp"):
            body["timestamp"] = read_extent(body["timestamp"])[0]
    return body


def build_edit(body: Mapping[str, Any], before: Mapping[str, str]) -> UnitEdit:
    own = keep_own(before)
    if "expiration_date" in body:
        day = body["expiration_date"]
        own = {name: value for name, value in own.items() if name != EXPIRATION}
        own |= {EXPIRATION: day.isoformat()} if day else {}
    given_metadata = write_metadata(body["metadata"]) if "metadata" in body else keep_given(before)
    edit: dict[str, Any] = {"metadata": given_metadata | own} if {"metadata", "expiration_date"} & set(body) else {}
    if "text" in body:
        edit["text"] = body["text"]
    if "timestamp" in body:
        edit["mentioned_at"] = body["timestamp"]
    return UnitEdit(**edit)


class BatchView(Mem0View):
    def put(self, request: Request) -> object:
        named = read_batch(self.access, request.data, "updated")
        for place, (_, given) in enumerate(named):
            with prefix_faults(f"memories.{place}"):
                read_update(given)
        for located, given in named:
            update_memory(self.access, located, given)
        return {"message": f"Successfully updated {len(named)} memories"}

    def delete(self, request: Request) -> object:
        named = read_batch(self.access, request.data, "deleted")
        found = {(located.bank_pk, located.memory_id) for located, _ in named}
        delete_memories(self.access, found)
        return {"message": f"Successfully deleted {len(found)} memories"}


def read_batch(access: BankAccess, given: Any, done: str) -> list[tuple[Located, Mapping[str, Any]]]:
    """The memories of a batch, each with its entry in the request."""
    memories = given.get("memories") if isinstance(given, Mapping) else None
    if not isinstance(memories, list) or not memories or not all(isinstance(one, Mapping) for one in memories):
        raise serializers.ValidationError("memories must be a list of objects with a memory_id.")
    if len(memories) > MOST_BATCHED:
        raise serializers.ValidationError(f"Maximum of {MOST_BATCHED} memories can be {done} in a single request")
    ids = [read_uuid("memory_id", one.get("memory_id")) for one in memories]
    located = {one.memory_id: one for one in locate_all(access, ids)}
    return [(located[memory_id], one) for memory_id, one in zip(ids, memories, strict=True)]


class FeedbackInput(serializers.Serializer[Any]):
    memory_id = serializers.CharField()
    feedback = serializers.ChoiceField(choices=VERDICTS, required=False, default=None)
    feedback_reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class FeedbackView(Mem0View):
    @idempotent
    def post(self, request: Request) -> object:
        body = read_body(FeedbackInput, request.data).validated_data
        located = locate(self.access, body["memory_id"])
        verdict, reason = body["feedback"], body["feedback_reason"]
        feedback_id = give_feedback(self.access, located, verdict, reason)
        return {"id": feedback_id, "feedback": verdict, "feedback_reason": reason or None}


def give_feedback(access: BankAccess, located: Located, verdict: str | None, reason: str) -> UUID:
    """A null verdict removes a note. Feedback on a recall stays until other feedback replaces it."""
    recall_id = find_latest_recall(access, located.bank_id, located.memory_id) if verdict else None
    if recall_id is None:
        return note_on_memory(access, located, verdict, reason)
    useful, comment = verdict == VERDICTS[0], f"{verdict}: {reason}" if reason else str(verdict)
    recalled = {"recall_id": recall_id, "memory_id": located.memory_id}
    return mark_result(access, located.bank_id, **recalled, useful=useful, comment=comment).id


def note_on_memory(access: BankAccess, located: Located, verdict: str | None, reason: str) -> UUID:
    known = show_memory(access, located.bank_id, located.memory_id).described.metadata
    noted = {name: value for name, value in known.items() if name not in (FEEDBACK, FEEDBACK_REASON)}
    if verdict:
        noted |= {FEEDBACK: verdict} | ({FEEDBACK_REASON: reason} if reason else {})
    if noted != known:
        edit_memory(access, located.bank_id, located.memory_id, UnitEdit(metadata=noted), expected=None)
    return located.memory_id
