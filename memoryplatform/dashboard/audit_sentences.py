"""Entries of the audit log as sentences: “Ada revoked the key prod”."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tenants.models import ApiKey, AuditEvent, User

# {} is the name of the target. The log has no words of memories, so these have none: “Ada edited a memory”.
PHRASES = {
    "admin.added": "of the staff added {}",
    "admin.changed": "of the staff changed {}",
    "admin.deleted": "of the staff deleted {}",
    "admin.revoked": "of the staff revoked {}",
    "admin.viewed": "of the staff looked at {}",
    "api_key.created": "created the key {}",
    "api_key.revoked": "revoked the key {}",
    "api_key.rotated": "replaced the key {} by a new one",
    "app.connected": "connected the app {}",
    "app.disconnected": "disconnected the app {}",
    "bank.alias_added": "added the alias {}",
    "bank.alias_removed": "removed the alias {}",
    "bank.background_merged": "added to the background of the bank {}",
    "bank.changed": "changed the bank {}",
    "bank.cloned": "copied the bank {}",
    "bank.created": "created the bank {}",
    "bank.deleted": "deleted the bank {}",
    "bank.embedding_model": "changed the embedding model of the bank {}",
    "bank.exported": "exported the bank {}",
    "bank.held": "put the bank {} under a legal hold",
    "bank.imported": "imported into the bank {}",
    "bank.released": "ended the legal hold of the bank {}",
    "bank.tended": "started the maintenance of the bank {}",
    "chat.asked": "chatted through the OpenAI proxy",
    "directive.changed": "changed the directive {}",
    "directive.created": "created the directive {}",
    "directive.deleted": "deleted the directive {}",
    "document.deleted": "deleted a document",
    "document.extracted_again": "extracted the memories of a document again",
    "entity.changed": "changed an entity",
    "entity.merged": "merged entities",
    "entity.split": "split an entity",
    "erasure.completed": "completed an erasure",
    "erasure.requested": "requested an erasure",
    "llm_log.changed": "changed the days of the log of LLM requests",
    "mem0_project.changed": "changed the settings of the mem0 project",
    "member.invitation_revoked": "withdrew an invitation",
    "member.invited": "invited {}",
    "member.joined": "joined",
    "member.left": "left",
    "member.removed": "removed the member {}",
    "member.role_changed": "changed the role of {}",
    "memories.deleted": "deleted memories by a filter",
    "memories.expired": "deleted memories by a retention rule",
    "memory.deleted": "deleted a memory",
    "memory.edited": "edited a memory",
    "memory.invalidated": "ended a memory",
    "memory.restored": "restored a memory",
    "memory.superseded": "replaced a memory",
    "mental_model.changed": "changed the mental model {}",
    "mental_model.cleared": "cleared the mental model {}",
    "mental_model.created": "created the mental model {}",
    "mental_model.deleted": "deleted the mental model {}",
    "mental_model.refreshed": "refreshed the mental model {}",
    "observations.refreshed": "asked for new observations",
    "operation.cancelled": "cancelled an operation",
    "operation.retried": "retried an operation",
    "opinion.reviewed": "reviewed an opinion",
    "own_llm.deleted": "removed the own language model for the task {}",
    "own_llm.saved": "set the own language model for the task {}",
    "quarantine.added": "sent an item that went into quarantine",
    "quarantine.deleted": "deleted an item in quarantine",
    "quarantine.released": "released an item from quarantine",
    "recall.answered": "recalled",
    "reflect.asked": "asked",
    "retain.accepted": "retained",
    "retention_rule.changed": "changed the retention rule {}",
    "retention_rule.created": "created the retention rule {}",
    "retention_rule.deleted": "deleted the retention rule {}",
    "tenant.deletion_cancelled": "cancelled the deletion of the tenant",
    "tenant.deletion_requested": "requested the deletion of the tenant",
    "tenant.exported": "exported the tenant",
    "tenant.founded": "founded the tenant {}",
    "tenant.renamed": "renamed the tenant to {}",
    "webhook.changed": "changed the webhook {}",
    "webhook.created": "created the webhook {}",
    "webhook.deleted": "deleted the webhook {}",
    "webhook.disabled": "disabled the webhook {}, which failed for days",
}


def list_actions() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """For a filter, by kind: its code, its title, and the actions in words. A filter takes a kind too."""
    grouped: dict[str, list[tuple[str, str]]] = {}
    for action, phrase in PHRASES.items():
        grouped.setdefault(action.partition(".")[0], []).append((action, phrase.replace(" {}", "").replace("{}", "")))
    return [(kind, kind.replace("_", " ").capitalize(), actions) for kind, actions in grouped.items()]


# fields of the detail, the first counts
NAMING = ("name", "email", "after", "url", "model", "mental_model_id", "alias")


@dataclass(frozen=True)
class Sentence:
    """`before`, `name` and `after` are the parts of what `actor` did. `bank_id`: where, unless the name says it."""

    event: AuditEvent
    actor: str
    before: str
    name: str
    after: str
    bank_id: str
    detail: str


def write_sentences(tenant_id: UUID, events: Sequence[AuditEvent]) -> list[Sentence]:
    """Two statements for the names of all keys and people. Call inside a tenant transaction."""
    prefixes = {one.api_key_prefix for one in events} | {name for kind, name in map(split, events) if kind == "api_key"}
    keys = ApiKey.objects.for_tenant(tenant_id).filter(prefix__in=prefixes - {""})
    names = {f"api_key:{prefix}": name or f"mpk_{prefix}_…" for prefix, name in keys.values_list("prefix", "name")}
    people = {name for kind, name in map(split, events) if kind == "user"}
    names |= {f"user:{one.id}": one.name or one.email for one in User.objects.filter(id__in=people)}
    return [write_sentence(event, names) for event in events]


def split(event: AuditEvent) -> tuple[str, str]:
    kind, _, name = event.target.partition(":")
    return kind, name


def write_sentence(event: AuditEvent, names: dict[str, str]) -> Sentence:
    kind, target = split(event)
    before, has_name, after = PHRASES.get(event.action, f"{event.action} {{}}").partition("{}")
    name = find_name(event, names) if has_name else ""
    bank_id = target if kind == "bank" and not has_name else str(event.detail.get("bank_id", ""))
    detail = {key: value for key, value in event.detail.items() if key != "bank_id"}
    written = json.dumps(detail, ensure_ascii=False) if detail else ""
    return Sentence(event, name_actor(event, names), before.strip(), name, after.strip(), bank_id, written)


def find_name(event: AuditEvent, names: dict[str, str]) -> str:
    kind, target = split(event)
    if event.action.startswith("admin."):
        return kind
    given: Any = next((event.detail[field] for field in NAMING if event.detail.get(field)), "")
    return names.get(event.target) or (target if kind == "bank" else given or target)


def name_actor(event: AuditEvent, names: dict[str, str]) -> str:
    if event.user:
        return event.user.name or event.user.email
    if event.api_key_prefix:
        return f"The key {names.get(f'api_key:{event.api_key_prefix}', f'mpk_{event.api_key_prefix}_…')}"
    return "The service"
