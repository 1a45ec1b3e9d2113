"""`/export` and `/import` of a bank's template: its settings, mental models and directives, without memories.

The import reads the whole manifest first and applies it in one transaction.
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, JsonResponse
from rest_framework import serializers
from rest_framework.request import Request

from banks.models import Bank
from memoryplatform.api.compat.hindsight.banks import create_or_change
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, read_body, read_query
from memoryplatform.api.compat.hindsight.mental_models import UNUSED
from memoryplatform.api.compat.hindsight.settings import KEPT, LABELS, describe_overrides, list_ignored, read_updates
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.bank_config import DEFAULTS
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.directives import DirectiveInput
from memoryplatform.api.v1.mental_models import MentalModelInput
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.directives import DirectiveChange, change_directive, create_directive
from memoryplatform.operations.banks.profile import BankChange, bank_transaction, find_banks
from memoryplatform.operations.mental_models import MentalModelChange, change_model, create_model
from reflection.models import Directive, MentalModel
from tenants.transactions import tenant_transaction

VERSION = "1"
MOST_ENTRIES = 1_000


class ManifestInput(Input):
    version = serializers.ChoiceField(choices=[VERSION])
    bank = serializers.DictField(required=False, allow_null=True, default=None)
    mental_models = serializers.ListField(
        child=serializers.DictField(), required=False, allow_null=True, default=None, max_length=MOST_ENTRIES
    )
    directives = serializers.ListField(
        child=serializers.DictField(), required=False, allow_null=True, default=None, max_length=MOST_ENTRIES
    )


class TemplateImportInput(Input):
    dry_run = serializers.BooleanField(default=False)


@dataclass(frozen=True)
class Manifest:
    """`settings` is None if the bank keeps its own. Models are keyed by id, directives by name."""

    settings: BankChange | None
    models: dict[str, MentalModelChange]
    directives: dict[str, DirectiveChange]
    ignored: list[str]


def show_schema(_request: HttpRequest) -> JsonResponse:
    """The JSON Schema of a manifest. Hindsight's clients ask for it without a key."""
    lists = {"type": ["array", "null"], "items": {"type": "object"}, "maxItems": MOST_ENTRIES}
    bank = {"type": ["object", "null"], "properties": {name: {} for name in sorted((*DEFAULTS, LABELS, *KEPT))}}
    properties = {"version": {"const": VERSION}, "bank": bank, "mental_models": lists, "directives": lists}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "BankTemplateManifest"}
    return JsonResponse({**head, "type": "object", "required": ["version"], "properties": properties})


class HindsightTemplateExportView(HindsightView):
    def get(self, _request: Request, bank_id: str) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            models = [describe_model(one) for one in MentalModel.objects.of_bank(bank).order_by("id")]
            directives = [describe_directive(one) for one in Directive.objects.of_bank(bank).order_by("id")]
        fields = {"bank": describe_overrides(bank), "mental_models": models, "directives": directives}
        return {"version": VERSION, **{name: value or None for name, value in fields.items()}}


class HindsightTemplateImportView(HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> object:
        """Creates a missing bank, as Hindsight does."""
        check_bank_id(bank_id)
        is_trial = read_query(TemplateImportInput, request)["dry_run"]
        manifest = read_manifest(request.data)
        with tenant_transaction(self.tenant_id):
            perform = preview_manifest if is_trial else apply_manifest
            changes = perform(self.access, bank_id, manifest)
        fields = {"bank_id": bank_id, "config_applied": manifest.settings is not None, "dry_run": is_trial}
        return {**fields, **changes, "ignored": manifest.ignored}


def describe_model(model: MentalModel) -> dict[str, Any]:
    return {
        "id": model.key,
        "name": model.name,
        "source_query": model.source_query,
        "tags": model.tags,
        "max_tokens": model.max_tokens,
        "trigger": {**UNUSED, **model.trigger},
    }


def describe_directive(directive: Directive) -> dict[str, Any]:
    return {name: getattr(directive, name) for name in ("name", "content", "priority", "is_active", "tags")}


def read_manifest(given: Any) -> Manifest:
    body = read_body(ManifestInput, given).validated_data
    settings, unknown = read_updates(drop_nulls(body["bank"] or {}))
    ignored = list_ignored(settings, unknown)
    models, directives = {}, {}
    for place, entry in enumerate(body["mental_models"] or ()):
        model = read_entry(MentalModelInput, entry, f"mental_models.{place}")
        if "id" not in model.validated_data:
            raise serializers.ValidationError({f"mental_models.{place}.id": ["This field is required."]})
        models[model.validated_data["id"]] = model.change()
    for place, entry in enumerate(body["directives"] or ()):
        directive = read_entry(DirectiveInput, entry, f"directives.{place}")
        directives[directive.validated_data["name"]] = directive.change()
    return Manifest(None if body["bank"] is None else settings, models, directives, ignored)


def drop_nulls(given: dict[str, Any]) -> dict[str, Any]:
    """In a template null means that the setting stays as it is."""
    return {name: value for name, value in given.items() if value is not None}


def read_entry(shape: type[Any], given: dict[str, Any], place: str) -> Any:
    try:
        return read_body(shape, given)
    except serializers.ValidationError as fault:
        raise serializers.ValidationError({place: fault.detail}) from None


def preview_manifest(access: BankAccess, bank_id: str, manifest: Manifest) -> dict[str, list[str]]:
    """Lists what an import would create and change. Call inside a tenant transaction."""
    bank = find_banks(access).filter(bank_id=bank_id).first()
    models, directives = find_existing(bank) if bank else ({}, {})
    return {
        "mental_models_created": [key for key in manifest.models if key not in models],
        "mental_models_updated": [key for key in manifest.models if key in models],
        "directives_created": [name for name in manifest.directives if name not in directives],
        "directives_updated": [name for name in manifest.directives if name in directives],
        "operation_ids": [],
    }


def apply_manifest(access: BankAccess, bank_id: str, manifest: Manifest) -> dict[str, list[str]]:
    """Call inside a tenant transaction."""
    bank = create_or_change(access, bank_id, manifest.settings or BankChange())
    models, directives = find_existing(bank)
    applied = preview_manifest(access, bank_id, manifest)
    for key, change in manifest.models.items():
        if key in models:
            change_model(access, bank_id, key, change)
        else:
            _, operation = create_model(access, bank_id, key, change)
            applied["operation_ids"].append(str(operation.id))
    for name, wanted in manifest.directives.items():
        if name in directives:
            change_directive(access, bank_id, directives[name].id, wanted)
        else:
            create_directive(access, bank_id, wanted)
    return applied


def find_existing(bank: Bank) -> tuple[dict[str, MentalModel], dict[str, Directive]]:
    models = {model.key: model for model in MentalModel.objects.of_bank(bank)}
    return models, {one.name: one for one in Directive.objects.of_bank(bank).order_by("-id")}
