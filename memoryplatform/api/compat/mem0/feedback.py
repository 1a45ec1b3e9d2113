"""`/v1/feedback/`: a mark on the newest recall that found the memory; where there is none, a note on the memory."""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.lifecycle.edit import UnitEdit
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.compat.mem0.locating import Located, locate
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.metadata import FEEDBACK, FEEDBACK_REASON
from memoryplatform.api.idempotency import idempotent
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.feedback import mark_result
from memoryplatform.operations.latest_recall import find_latest_recall
from memoryplatform.operations.memories.single import edit_memory, show_memory

VERDICTS = ("POSITIVE", "NEGATIVE", "VERY_NEGATIVE")


class FeedbackInput(serializers.Serializer[Any]):
    memory_id = serializers.CharField()
    feedback = serializers.ChoiceField(choices=VERDICTS, required=False, default=None)
    feedback_reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class FeedbackView(Mem0View):
    @idempotent
    def post(self, request: Request) -> Response:
        body = read_body(FeedbackInput, request.data).validated_data
        located = locate(self.access, body["memory_id"])
        verdict, reason = body["feedback"], body["feedback_reason"]
        feedback_id = give_feedback(self.access, located, verdict, reason)
        return Response({"id": feedback_id, "feedback": verdict, "feedback_reason": reason or None})


def give_feedback(access: BankAccess, located: Located, verdict: str | None, reason: str) -> UUID:
    """A null takes a note back; a mark on a recall stays until another takes its place."""
    recall_id = find_latest_recall(access, located.bank_id, located.memory_id) if verdict else None
    if recall_id is None:
        return note_on_memory(access, located, verdict, reason)
    comment = f"{verdict}: {reason}" if reason else str(verdict)

    useful = verdict == VERDICTS[0]
    marked = mark_result(
        access,
        located.bank_id,
        recall_id=recall_id,
        memory_id=located.memory_id,
        useful=useful,
        comment=comment,
    )
    return marked.id


def note_on_memory(access: BankAccess, located: Located, verdict: str | None, reason: str) -> UUID:
    known = show_memory(access, located.bank_id, located.memory_id).described.metadata
    noted = {name: value for name, value in known.items() if name not in (FEEDBACK, FEEDBACK_REASON)}
    if verdict:
        noted |= {FEEDBACK: verdict} | ({FEEDBACK_REASON: reason} if reason else {})
    if noted != known:
        edit_memory(access, located.bank_id, located.memory_id, UnitEdit(metadata=noted), expected=None)
    return located.memory_id
