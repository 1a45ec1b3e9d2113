"""`/memories/dry-run-extract`: the facts that a text would give, without storing them."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request

from banks.hindsight_settings import read_custom_instructions
from banks.retain.dry_run import DryRun, Preview
from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.compat.hindsight.memories import ITEM, translate_item
from memoryplatform.api.compat.hindsight.settings import HindsightSettingsInput
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.retain_items import build_item
from memoryplatform.operations.dry_run import dry_run


class DryRunInput(HindsightSettingsInput):
    content = serializers.JSONField()
    context = serializers.JSONField(required=False)  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    timestamp = serializers.JSONField(required=False)


class HindsightDryRunView(hindsight_view.HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}

    def post(self, request: Request, bank_id: str) -> object:
        """Only extracts, as Hindsight does: no model is asked what becomes of the facts."""
        check_bank_id(bank_id)
        body = hindsight_view.read_body(DryRunInput, request.data)
        given = body.validated_data
        said = {name: given[name] for name in ("content", "context", "timestamp") if name in given}
        item = build_item(ITEM.run_validation(translate_item(said, [])))
        tried = dry_run(self.access, bank_id, [item], overrides=read_overrides(body), decides=False)
        usage = {"input_tokens": tried.usage.input_tokens, "output_tokens": tried.usage.output_tokens}
        return describe_extracted(tried.items[0].run) | {"usage": hindsight_view.describe_usage(usage)}


def read_overrides(body: DryRunInput) -> dict[str, Any]:
    """Custom instructions are part of the mission, as in `Bank.extraction_settings`."""
    overrides = body.change().given()
    custom = read_custom_instructions(overrides.pop("hindsight_settings", {}))
    parts = [part for part in (overrides.get("retain_mission"), custom) if part]
    return overrides | ({"retain_mission": "\n".join(parts)} if parts else {})


def describe_extracted(run: DryRun) -> dict[str, Any]:
    """`errors` is ours: Hindsight has no place for a part that could not be read."""
    counts = [sum(fact.passage == place for fact in run.facts) for place in range(len(run.passages))]
    chunks = [
        {"text": passage.turns[0].text, "fact_count": count}
        for passage, count in zip(run.passages, counts, strict=True)
    ]
    return {"facts": [describe_fact(one) for one in run.facts], "chunks": chunks, "errors": list(run.errors)}


def describe_fact(preview: Preview) -> dict[str, Any]:
    fact = preview.fact
    return {
        "text": preview.text,
        "fact_type": fact.network.value,
        "occurred_start": fact.occurred_start.isoformat() if fact.occurred_start else None,
        "occurred_end": fact.occurred_end.isoformat() if fact.occurred_end else None,
        "entities": [entity.name for entity in fact.entities] + list(fact.categories),
        "chunk_index": preview.passage,
        "attachments": [],
    }
