"""The answer to a dry run of retain: the facts that would be stored."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from banks.enums import EntityKind, Kind, Network
from banks.retain.dry_run import Preview
from banks.types import CauseType
from memoryplatform.api.errors import list_faults
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.operations import UsageOutput
from memoryplatform.api.v1.retain_items import ItemFaultOutput, ReadItems
from memoryplatform.operations.dry_run import TriedCall

OUTCOMES = {
    "add": "a new memory",
    "merge": "the memory in targets gets the text",
    "update": "a new memory that ends those in targets",
    "repeat": "one more proof of the memory in targets",
}


class TriedEntityOutput(Output):
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=EntityKind.choices)
    type = serializers.CharField(help_text="One of the bank's own entity_types; empty without one.")


class TriedRelationOutput(Output):
    subject = serializers.CharField()
    relation = serializers.CharField()
    object = serializers.CharField()
    object_is_value = serializers.BooleanField()
    text = serializers.CharField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)


class TriedCauseOutput(Output):
    target = serializers.IntegerField(help_text="Index of the other fact of the item, from 0.")
    relation_type = serializers.ChoiceField(choices=[one.value for one in CauseType])
    strength = serializers.FloatField()


class TriedFactOutput(Output):
    text = serializers.CharField(help_text="The text that the memory would have.")
    type = serializers.ChoiceField(choices=Network.choices, help_text="The network.")
    kind = serializers.CharField(help_text=" or ".join(Kind.values))
    occurred_start = serializers.DateTimeField(allow_null=True)
    occurred_end = serializers.DateTimeField(allow_null=True, help_text="Exclusive.")
    mentioned_at = serializers.DateTimeField()
    entities = TriedEntityOutput(many=True)
    relations = TriedRelationOutput(many=True)
    causes = TriedCauseOutput(many=True)
    categories = serializers.ListField(child=serializers.CharField())
    confidence = serializers.FloatField(allow_null=True, help_text="Of an opinion.")
    sources = serializers.ListField(child=serializers.CharField(), help_text="The quoted words that it rests on.")
    outcome = serializers.CharField(help_text="; ".join(f"{name}: {words}" for name, words in OUTCOMES.items()) + ".")
    targets = serializers.ListField(child=serializers.UUIDField(), help_text="Memories that the bank holds.")


class TriedItemOutput(Output):
    facts = TriedFactOutput(many=True)
    errors = serializers.ListField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        child=serializers.CharField(), help_text="Passages whose extraction failed."
    )
    notes = serializers.ListField(child=serializers.CharField(), help_text="What the bank's protection would do.")


class DryRunOutput(Output):
    dry_run = serializers.BooleanField(help_text="True: nothing was stored.")
    bank_id = serializers.CharField()
    engine = serializers.CharField(help_text="builtin, or the id of the model.")
    items = TriedItemOutput(many=True, help_text="One for each accepted item, in their order.")
    item_errors = ItemFaultOutput(many=True, help_text="Refused items and messages, with the reasons.")
    usage = UsageOutput()


def describe_dry_run(bank_id: str, tried: TriedCall, read: ReadItems) -> dict[str, Any]:
    return {
        "dry_run": True,
        "bank_id": bank_id,
        "engine": tried.engine,
        "items": [
            {"facts": describe_facts(item.run.facts), "errors": item.run.errors, "notes": item.notes}
            for item in tried.items
        ],
        "item_errors": [
            {"index": fault.index, "accepted": fault.is_accepted, "faults": list_faults(fault.faults)}
            for fault in read.faults
        ],
        "usage": tried.usage,
    }


def describe_facts(previews: Sequence[Preview]) -> list[dict[str, Any]]:
    names = ("kind", "occurred_start", "occurred_end", "mentioned_at", "entities", "categories", "confidence")
    return [
        {
            **{name: getattr(one.fact, name) for name in names},
            "text": one.text,
            "type": one.fact.network,
            "relations": one.fact.relationships,
            "causes": [
                {"target": cause.target, "relation_type": cause.type.value, "strength": cause.strength}
                for cause in one.fact.causes
            ],
            "sources": one.quotes,
            "outcome": one.outcome,
            "targets": one.targets,
        }
        for one in previews
    ]
