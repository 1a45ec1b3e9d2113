"""`/prompts/preview`: the system message of an operation, in the parts that it is made of."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request

from banks.models import Bank
from memoryplatform.api.compat.hindsight import hindsight_view, settings
from memoryplatform.api.serializers import Input
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.prompt_preview import PromptPart, PromptPreview, preview_extraction, preview_observation

RUN_SETTINGS = {"retain": ("retain_chunk_size",), "consolidation": ("enable_auto_consolidation",)}


class PreviewInput(Input):
    operation = serializers.ChoiceField(choices=["retain", "consolidation", "reflect"], default="retain")

    def validate_operation(self, value: str) -> str:
        if value == "reflect":
            raise hindsight_view.NotOffered("The prompt of a reflection depends on its question and what is found.")
        return value


class HindsightPromptPreviewView(hindsight_view.HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    def post(self, request: Request, bank_id: str) -> object:
        operation = hindsight_view.read_body(PreviewInput, request.data or {}).validated_data["operation"]
        with bank_transaction(self.access, bank_id) as bank:
            preview = preview_extraction(bank) if operation == "retain" else preview_observation(bank)
            return describe_preview(bank, operation, preview)


def describe_preview(bank: Bank, operation: str, preview: PromptPreview) -> dict[str, Any]:
    """The user's message is left out: it is the text that comes in."""
    values = settings.describe_settings(bank)
    blocks = [describe_part(part) for part in preview.parts]
    return {
        "messages": [{"role": "system", "blocks": blocks}] if blocks else [],
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
        "section": "",
        "heading": "",
        "active": True,
        "value": None,
        "kind": "text",
        "choices": None,
        "editable": False,
    }
