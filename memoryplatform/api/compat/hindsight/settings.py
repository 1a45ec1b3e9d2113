"""The settings of a bank under Hindsight's names: those that are ours, those that only Hindsight has, and label groups.

Every setting of Hindsight is accepted, stored and shown. `HONOURED` lists those of its own that have an effect here;
the others are named in `ignored` of each response. `entity_labels` are our categories: a value of a group is the
category "key:value", and a category without a key belongs to the group `category`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import orjson
from rest_framework import serializers

from banks.chunking.spans import CHUNK_SIZE
from banks.enums import Mode
from banks.extraction_settings import LONGEST_DESCRIPTION, MOST_CATEGORIES
from banks.hindsight_settings import CUSTOM
from banks.models import Bank
from memoryplatform.api.compat.hindsight.hindsight_view import read_body
from memoryplatform.api.errors import make_printable
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1 import bank_config
from memoryplatform.api.v1.banks import check_list
from memoryplatform.operations.banks.profile import BankChange

LABELS, MODE = "entity_labels", "retain_extraction_mode"
WITHOUT_KEY = "category"  # the group of categories without a key
WITH_VALUES = ("value", "multi-values")
LABEL_TYPES = (*WITH_VALUES, "text", "multi-text", "map")
LONGEST_TEXT = 20_000  # characters of one setting that is a text
MOST_BYTES = 100_000  # of one setting as JSON
ENVIRONMENT = "HINDSIGHT_API_"  # Hindsight also accepts a setting under the name of its environment variable
# Hindsight's modes with our counterparts. `calibrated` exists here only.
MODES = {**bank_config.MODES, CUSTOM: Mode.NARRATIVE, "chunks": Mode.VERBATIM}

TEXTS = ("retain_custom_instructions", "observations_mission", "retain_default_strategy", "recall_budget_function")
INTEGERS = (
    "retain_chunk_size",
    "retain_structured_chunk_size",
    "retain_chunk_batch_size",
    "retain_max_attachments_per_chunk",
    "consolidation_llm_batch_size",
    "consolidation_source_facts_max_tokens",
    "consolidation_source_facts_max_tokens_per_observation",
    "consolidation_max_memories_per_round",
    "consolidation_llm_parallelism",
    "max_observations_per_scope",
    "reflect_source_facts_max_tokens",
    "mental_model_min_refresh_interval_seconds",
    "recall_budget_fixed_low",
    "recall_budget_fixed_mid",
    "recall_budget_fixed_high",
    "recall_budget_min",
    "recall_budget_max",
    "recall_max_tokens",
    "recall_chunks_max_tokens",
)
NUMBERS = ("recall_budget_adaptive_low", "recall_budget_adaptive_mid", "recall_budget_adaptive_high")
SWITCHES = (
    "enable_observations",
    "enable_auto_consolidation",
    "enable_text_search",
    "enable_temporal_retrieval",
    "enable_graph_retrieval",
    "enable_reranking",
    "entities_allow_free_form",
    "reflect_use_decision_model",
    "mental_model_refresh_use_decision_model",
    "mental_model_delta_use_decision_model",
    "consolidation_use_decision_model",
    "audit_log_enabled",
    "store_document_text",
    "recall_include_chunks",
    "recall_prefer_observations",
)
OBJECTS = ("retain_strategies", "knowledge_page_default_trigger", "reflect_default_options", "memory_defense")
LISTS = ("mcp_enabled_tools", "observation_scope_limits", "consolidation_strategies", "llm_gemini_safety_settings")
ANY = ("default_observation_scopes",)  # a word or a list of lists
KEPT = (*TEXTS, *INTEGERS, *NUMBERS, *SWITCHES, *OBJECTS, *LISTS, *ANY)
# Settings of Hindsight's own that have an effect here, with the value of a bank that has not set them.
HONOURED: dict[str, Any] = {
    "retain_custom_instructions": None,
    "retain_chunk_size": CHUNK_SIZE,
    "observations_mission": None,
    "enable_observations": True,
    "enable_auto_consolidation": True,
    "enable_text_search": True,
    "enable_temporal_retrieval": True,
    "enable_graph_retrieval": True,
    "enable_reranking": True,
    "recall_include_chunks": False,
    "recall_prefer_observations": False,
    "recall_max_tokens": 4_096,
    "recall_chunks_max_tokens": 8_192,
    "recall_budget_function": "fixed",
    "recall_budget_fixed_low": 100,
    "recall_budget_fixed_mid": 300,
    "recall_budget_fixed_high": 600,
    "recall_budget_adaptive_low": 0.025,
    "recall_budget_adaptive_mid": 0.075,
    "recall_budget_adaptive_high": 0.25,
    "recall_budget_min": 20,
    "recall_budget_max": 2_000,
    "mcp_enabled_tools": None,
}


class LabelValueInput(Input):
    value = serializers.CharField()
    description = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_DESCRIPTION)


class LabelGroupInput(Input):
    key = serializers.CharField()
    description = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_DESCRIPTION)
    type = serializers.ChoiceField(choices=LABEL_TYPES, default="value")
    optional = serializers.BooleanField(default=True)
    tag = serializers.BooleanField(default=False)
    values = serializers.ListField(child=LabelValueInput(), required=False, default=list)

    def get_fields(self) -> bank_config.Fields:
        """`fields` is an attribute of every serializer, so it can't be declared as one."""
        return super().get_fields() | {"fields": serializers.DictField(required=False, default=dict)}

    def validate_key(self, value: str) -> str:
        if ":" in value:
            raise serializers.ValidationError("A key has no colon here: it stands between the key and the value.")
        return value


def build_kept_fields() -> bank_config.Fields:
    return {
        **{name: serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_TEXT) for name in TEXTS},
        **{name: serializers.IntegerField(required=False, min_value=-1, max_value=10**9) for name in INTEGERS},
        **{name: serializers.FloatField(required=False, min_value=0, max_value=10**6) for name in NUMBERS},
        **{name: serializers.BooleanField(required=False) for name in SWITCHES},
        **{name: serializers.DictField(required=False) for name in OBJECTS},
        **{name: serializers.ListField(required=False) for name in LISTS},
        **{name: serializers.JSONField(required=False) for name in ANY},
    }


class HindsightSettingsInput(bank_config.SettingsInput):
    """Null means absent. `change` has our settings, and Hindsight's own under `hindsight_settings`."""

    retain_extraction_mode = serializers.ChoiceField(choices=list(MODES), required=False)
    entity_labels = serializers.ListField(child=LabelGroupInput(), required=False, max_length=MOST_CATEGORIES)

    def get_fields(self) -> bank_config.Fields:
        return super().get_fields() | build_kept_fields()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kept = {name: attrs.pop(name) for name in KEPT if name in attrs}
        if MODE in attrs:
            kept[MODE] = attrs[MODE]
            attrs[MODE] = bank_config.MODE_NAMES[MODES[attrs[MODE]].value]
        if LABELS in attrs:
            kept[LABELS] = attrs.pop(LABELS)
            attrs["categories"] = check_labels(kept[LABELS])
        for name, value in kept.items():
            if len(orjson.dumps(value)) > MOST_BYTES:
                raise serializers.ValidationError({name: [f"Must have at most {MOST_BYTES:,} bytes."]})
        attrs["hindsight_settings"] = kept
        return attrs

    def change(self) -> BankChange:
        kept = self.validated_data["hindsight_settings"] or None
        return replace(super().change(), hindsight_settings=kept)


def check_labels(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The categories of the groups."""
    try:
        return check_list("categories", read_groups(groups))
    except serializers.ValidationError as fault:
        raise serializers.ValidationError({LABELS: fault.detail}) from None


def read_groups(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Groups of free texts have no values, so no category comes of them."""
    return [
        {
            "name": one["value"] if group["key"] == WITHOUT_KEY else f"{group['key']}:{one['value']}",
            "description": one["description"] or group["description"],
        }
        for group in groups
        if group["type"] in WITH_VALUES
        for one in group["values"]
    ]


def write_groups(categories: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """All groups take several values, because a fact has every category that applies."""
    values: dict[str, list[dict[str, str]]] = {}
    for one in categories:
        key, _, value = one["name"].rpartition(":")
        values.setdefault(key or WITHOUT_KEY, []).append({"value": value, "description": one.get("description", "")})
    usual = {"description": "", "type": "multi-values", "optional": True, "tag": False, "fields": {}}
    return [{"key": key, **usual, "values": listed} for key, listed in values.items()]


def read_updates(updates: Mapping[str, Any]) -> tuple[BankChange, list[str]]:
    """The change that `PATCH /config` asks for, and the names that neither Hindsight nor we know. Null resets one."""
    given = {name.removeprefix(ENVIRONMENT).lower(): value for name, value in updates.items()}
    known = {*bank_config.DEFAULTS, LABELS, *KEPT}
    removed = {name: None for name in KEPT if name in given and given[name] is None}
    settings = {name: value for name, value in given.items() if name in known and name not in removed}
    if LABELS in settings and settings[LABELS] is None:
        settings[LABELS] = []
    change = read_body(HindsightSettingsInput, bank_config.replace_nulls(settings)).change()
    kept = {**(change.hindsight_settings or {}), **removed}
    return replace(change, hindsight_settings=kept or None), [name for name in given if name not in known]


def build_reset() -> BankChange:
    removed = dict.fromkeys((*KEPT, LABELS, MODE))
    return replace(bank_config.build_change(bank_config.DEFAULTS), hindsight_settings=removed)


def describe_settings(bank: Bank) -> dict[str, Any]:
    """Every setting. One that only Hindsight has, and that the bank has not set, is null or our usual value."""
    own = bank_config.describe_settings(bank) | {MODE: name_mode(bank), LABELS: describe_labels(bank)}
    return {**own, **dict.fromkeys(KEPT), **HONOURED, **list_kept(bank)}


def describe_overrides(bank: Bank) -> dict[str, Any]:
    own = bank_config.list_overrides(bank)
    if name_mode(bank) != bank_config.DEFAULTS[MODE]:
        own[MODE] = name_mode(bank)
    if labels := describe_labels(bank):
        own[LABELS] = labels
    return own | list_kept(bank)


def list_kept(bank: Bank) -> dict[str, Any]:
    return {name: value for name, value in bank.hindsight_settings.items() if name in KEPT}


def name_mode(bank: Bank) -> str:
    """The name that was given, unless our own interface has changed the mode since."""
    given = bank.hindsight_settings.get(MODE)
    is_same = given in MODES and MODES[given] == bank.extraction_mode
    return str(given) if is_same else bank_config.MODE_NAMES[bank.extraction_mode]


def describe_labels(bank: Bank) -> list[dict[str, Any]]:
    """The groups that were given, unless our own interface has changed the categories since."""
    given = bank.hindsight_settings.get(LABELS) or []
    return given if read_groups(given) == bank.categories else write_groups(bank.categories)


def list_without_effect(stored: Mapping[str, Any]) -> list[str]:
    """Settings that are stored and shown, and change nothing here."""
    free = [f"{LABELS}.{one['key']}" for one in stored.get(LABELS) or () if one["type"] not in WITH_VALUES]
    return [name for name in stored if name in KEPT and name not in HONOURED] + free


def list_ignored(bank_or_change: Bank | BankChange, unknown: Iterable[str]) -> list[str]:
    """Settings without an effect, and names that nobody knows, which are not stored."""
    stored = bank_or_change.hindsight_settings or {}
    return sorted({*list_without_effect(stored), *(make_printable(name) for name in unknown)})
