"""`/prompts/preview`: the messages of an operation, in the parts that they are made of."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request

from banks.models import Bank
from memoryplatform.api.compat.hindsight import hindsight_view, settings
from memoryplatform.api.serializers import Input
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.prompt_preview import (
    PromptPart,
    PromptPreview,
    preview_extraction,
    preview_observation,
    preview_reflection,
)

PREVIEWS = {"retain": preview_extraction, "consolidation": preview_observation, "reflect": preview_reflection}
RUN_SETTINGS = {"retain": ("retain_chunk_size",), "consolidation": ("enable_auto_consolidation",), "reflect": ()}


class PreviewInput(Input):
    operation = serializers.ChoiceField(choices=list(PREVIEWS), default="retain")


class HindsightPromptPreviewView(hindsight_view.HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    def post(self, request: Request, bank_id: str) -> object:
        operation = hindsight_view.read_body(PreviewInput, request.data or {}).validated_data["operation"]
        with bank_transaction(self.access, bank_id) as bank:
            return describe_preview(bank, operation, PREVIEWS[operation](bank))


def describe_preview(bank: Bank, operation: str, preview: PromptPreview) -> dict[str, Any]:
    values = settings.describe_settings(bank)
    messages = (("system", preview.parts), ("user", preview.user))
    return {
        "messages": [
            {"role": role, "blocks": [describe_part(part) for part in parts]} for role, parts in messages if parts
        ],
        "strategy": None,
        "strategies": list(values["retain_strategies"] or ()),
        "run_settings": [
            {"field": name, "value": str(values[name]), "kind": "complex", "editable": True}
            for name in RUN_SETTINGS[operation]
        ],
        "response_schema": None,
        "skipped_reason": preview.skipped or None,
    }


def describe_part(part: PromptPart) -> dict[str, Any]:
    return {
        "text": part.text,
        "source": "config" if part.is_own else "builtin",
        "field": "",
        "section": part.section,
        "heading": "",
        "active": True,
        "value": None,
        "kind": "text",
        "choices": None,
        "editable": False,
    }
