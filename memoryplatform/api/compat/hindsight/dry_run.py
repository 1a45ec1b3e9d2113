"""`/memories/dry-run-extract`, and `entity_labels`: Hindsight's label groups, which are our categories.

A value of a group is the category "key:value". A category without a key belongs to the group `category`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request

from banks.extraction_settings import LONGEST_DESCRIPTION, MOST_CATEGORIES
from banks.retain.dry_run import DryRun, Preview
from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.compat.hindsight.memories import ITEM, translate_item
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1 import bank_config
from memoryplatform.api.v1.banks import check_bank_id, check_list
from memoryplatform.api.v1.retain_items import build_item
from memoryplatform.operations.dry_run import dry_run

LABELS = "entity_labels"
WITHOUT_KEY = "category"  # the group of categories without a key
WITH_VALUES = ("value", "multi-values")


class LabelValueInput(Input):
    value = serializers.CharField()
    description = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_DESCRIPTION)


class LabelGroupInput(Input):
    key = serializers.CharField()
    description = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_DESCRIPTION)
    type = serializers.CharField(required=False, default="value")
    values = serializers.ListField(child=LabelValueInput(), required=False, default=list)

    def validate_key(self, value: str) -> str:
        if ":" in value:
            raise serializers.ValidationError("A key has no colon here: it stands between the key and the value.")
        return value

    def validate_type(self, value: str) -> str:
        if value not in WITH_VALUES:
            raise serializers.ValidationError(
                f"Groups of the type '{value}' are not read here, only those with values: value and multi-values."
            )
        return value


class HindsightSettingsInput(bank_config.SettingsInput):
    entity_labels = serializers.ListField(child=LabelGroupInput(), required=False, max_length=MOST_CATEGORIES)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        groups = attrs.pop(LABELS, None)
        if groups is not None:
            try:
                attrs["categories"] = check_list("categories", read_groups(groups))
            except serializers.ValidationError as fault:
                raise serializers.ValidationError({LABELS: fault.detail}) from None
        return attrs


def read_groups(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    return [
        {
            "name": one["value"] if group["key"] == WITHOUT_KEY else f"{group['key']}:{one['value']}",
            "description": one["description"] or group["description"],
        }
        for group in groups
        for one in group["values"]
    ]


def write_groups(categories: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    values: dict[str, list[dict[str, str]]] = {}
    for one in categories:
        key, _, value = one["name"].partition(":")
        key, value = (key, value) if key and value else (WITHOUT_KEY, one["name"])
        values.setdefault(key, []).append({"value": value, "description": one.get("description", "")})
    usual = {"description": "", "type": "multi-values", "optional": True, "tag": False, "fields": {}}
    return [{"key": key, **usual, "values": listed} for key, listed in values.items()]


class DryRunInput(HindsightSettingsInput):
    content = serializers.JSONField()
    context = serializers.JSONField(required=False)  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    timestamp = serializers.JSONField(required=False)


class HindsightDryRunView(hindsight_view.HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}

    def post(self, request: Request, bank_id: str) -> object:
        """Only extracts, as Hindsight does: no model is asked what becomes of the facts."""
        check_bank_id(bank_id)
        given = hindsight_view.read_body(DryRunInput, request.data).validated_data
        said = {name: given[name] for name in ("content", "context", "timestamp") if name in given}
        item = build_item(ITEM.run_validation(translate_item(said, [])))
        overrides = bank_config.build_change(given).given()
        tried = dry_run(self.access, bank_id, [item], overrides=overrides, decides=False)
        usage = {"input_tokens": tried.usage.input_tokens, "output_tokens": tried.usage.output_tokens}
        return describe_extracted(tried.items[0].run) | {"usage": hindsight_view.describe_usage(usage)}


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
