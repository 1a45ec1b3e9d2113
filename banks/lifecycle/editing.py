"""Editing a memory by hand. Every change is a step of its history."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any

from django.utils import timezone

from banks.entities.descriptions import forget_descriptions
from banks.enums import FACTUAL, Network
from banks.errors import MemoryChanged, MemoryInvalid, MemoryState
from banks.facts import hash_tags, hash_words
from banks.lifecycle.closing import Closing, cancel_ends_by, cancel_scheduled_end, close_units
from banks.lifecycle.closing_by_hand import check_identity_is_free
from banks.links import link_by_meaning
from banks.models import Bank, Corpus, Link, MemoryUnit, UnitChange, UnitMetadata, UnitTag
from banks.models.bank import VECTOR_COLUMNS
from banks.rendering import render_text
from banks.text_index.write import replacing_texts
from banks.types import ExtractedFact
from providers.embedding.vector import Vector

DERIVED = ("content_hash", "tags_hash", "dimensions", "valid_from", *VECTOR_COLUMNS, "updated_at")


@dataclass(frozen=True)
class UnitEdit:
    """The fields to change. None leaves a field unchanged, `cleared` names fields that become empty.

    A `text` that begins with the unit's speaker stays that speaker's words. Any other text has no speaker.
    """

    text: str | None = None
    network: str | None = None
    context: str | None = None
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None
    mentioned_at: datetime | None = None
    importance: float | None = None
    confidence: float | None = None
    tags: tuple[str, ...] | None = None
    metadata: dict[str, str] | None = None
    cleared: frozenset[str] = field(default_factory=frozenset)

    def build_columns(self, state: "UnitState") -> dict[str, Any]:
        given = asdict(self)
        for name in ("tags", "metadata", "cleared"):
            del given[name]
        columns = {name: value for name, value in given.items() if value is not None} | dict.fromkeys(self.cleared)
        if self.text is not None:
            label = render_text(state.speaker, "")
            is_same_speaker = bool(state.speaker) and self.text.startswith(label)
            columns["text"] = self.text[len(label) :] if is_same_speaker else self.text
            columns |= {} if is_same_speaker else {"speaker": "", "role": ""}
            columns["search_text"] = ""
        return columns


@dataclass(frozen=True)
class UnitState:
    """The current values of all fields that can be edited."""

    text: str
    speaker: str
    role: str
    network: str
    context: str
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime
    importance: float
    confidence: float | None
    expired_at: datetime | None
    tags: tuple[str, ...]
    metadata: dict[str, str]
    search_text: str = ""

    @property
    def version(self) -> str:
        """Changes with every field. Another proof or link does not change it."""
        written = json.dumps(asdict(self), sort_keys=True, default=str).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(written, digest_size=16).hexdigest()


def read_state(bank: Bank, unit: MemoryUnit) -> UnitState:
    """Call inside a tenant transaction."""
    tags = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit=unit).values_list("tag", flat=True)
    metadata = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(unit=unit).values_list("key", "value")
    columns = {one.name: getattr(unit, one.name) for one in fields(UnitState) if one.name not in {"tags", "metadata"}}
    return UnitState(**columns, tags=tuple(sorted(tags)), metadata=dict(sorted(metadata)))


def check_version(unit: MemoryUnit, state: UnitState, expected: frozenset[str] | None) -> None:
    if expected is not None and state.version not in expected:
        raise MemoryChanged(unit.id)


def build_edited_text(state: UnitState, edit: UnitEdit) -> str | None:
    """The text to embed; None if the vector stays valid."""
    before, after = (
        render_text(row["speaker"], row["text"]) for row in (asdict(state), asdict(state) | edit.build_columns(state))
    )
    return after if after != before else None


def build_edited_fact(state: UnitState, edit: UnitEdit) -> ExtractedFact | None:
    """The fact to read again; None if the text is unchanged, or if the unit is no fact."""
    after = asdict(state) | edit.build_columns(state)
    if after["text"] == state.text or FACTUAL.isdisjoint((state.network, after["network"])):
        return None
    times = {name: after[name] for name in ("mentioned_at", "occurred_start", "occurred_end")}
    return ExtractedFact(
        after["text"], Network(after["network"]), **times, speaker=after["speaker"], role=after["role"]
    )


def edit_unit(bank: Bank, unit: MemoryUnit, edit: UnitEdit, *, vector: Vector | None, actor: str, reason: str) -> None:
    """Call inside a tenant transaction, after `lock_memory`, with a fresh row.

    `vector` is the vector of `build_edited_text`. A new text clears the five dimensions;
    `banks.lifecycle.rereading` replaces entities and relationships. A scheduled end of the former text is cancelled.
    """
    if unit.expired_at is not None:
        raise MemoryState("A closed memory can't be edited; restore it first.")
    before = read_state(bank, unit)
    columns = edit.build_columns(before)
    is_restated = changes_statement(before, columns)
    if is_restated and unit.superseded_by_id is not None:
        cancel_scheduled_end(bank, unit, actor=actor)
    for name, value in columns.items():
        setattr(unit, name, value)
    if unit.text != before.text:
        unit.dimensions = {}
    if "occurred_start" in columns:
        unit.valid_from = unit.occurred_start
    check_edited(unit)
    unit.tags_hash = hash_tags(before.tags if edit.tags is None else edit.tags)
    unit.content_hash = hash_words(unit.rendered_text, unit.occurred_start)
    check_identity_is_free(bank, unit)
    if vector is not None:
        unit.set_vector(bank, vector)
    with replacing_texts(bank, Corpus.UNIT, [unit.id] if unit.text != before.text else []):
        unit.save(update_fields=[*columns, *DERIVED])
    replace_labels(bank, unit, edit)
    if is_restated:
        reschedule_ends(bank, unit, is_reread=unit.text != before.text, actor=actor)
    if vector is not None:
        link_anew(bank, unit)
    if (unit.text, unit.network) != (before.text, before.network):
        forget_descriptions(bank, unit, networks=[before.network, unit.network])
    note_edit(bank, unit, before, actor=actor, reason=reason)


def changes_statement(before: UnitState, columns: dict[str, Any]) -> bool:
    return any(name in columns and columns[name] != getattr(before, name) for name in ("text", "occurred_start"))


def reschedule_ends(bank: Bank, unit: MemoryUnit, *, is_reread: bool, actor: str) -> None:
    """Move the scheduled ends that this unit causes to its new beginning. A new text brings its own ends."""
    waiting = cancel_ends_by(bank, [unit.id], (), actor=actor)
    if unit.valid_from is not None and not is_reread:
        closings = [Closing(unit_id, unit.id, unit.valid_from) for unit_id in waiting]
        close_units(bank, closings, now=timezone.now(), actor=actor)


def check_edited(unit: MemoryUnit) -> None:
    if unit.occurred_end and (unit.occurred_start is None or unit.occurred_end < unit.occurred_start):
        raise MemoryInvalid("The memory can't end before it began.")
    if unit.valid_from and unit.valid_until and unit.valid_until < unit.valid_from:
        raise MemoryInvalid("The memory can't begin after it stopped being true.")
    if (unit.network == Network.OPINION) != (unit.confidence is not None):
        raise MemoryInvalid("Only an opinion has a confidence, and it must have one.")


def replace_labels(bank: Bank, unit: MemoryUnit, edit: UnitEdit) -> None:
    if edit.tags is not None:
        tags = UnitTag.objects.for_tenant(bank.tenant_id)
        tags.filter(unit=unit).delete()
        tags.bulk_create([UnitTag(unit=unit, bank_id=bank.id, tag=tag) for tag in sorted(set(edit.tags))])
    if edit.metadata is not None:
        values = UnitMetadata.objects.for_tenant(bank.tenant_id)
        values.filter(unit=unit).delete()
        values.bulk_create(
            [UnitMetadata(unit=unit, bank_id=bank.id, key=key, value=value) for key, value in edit.metadata.items()]
        )


def link_anew(bank: Bank, unit: MemoryUnit) -> None:
    links = Link.objects.for_tenant(bank.tenant_id).filter(type=Link.Type.SEMANTIC)
    links.filter(source=unit).delete()
    links.filter(target=unit).delete()
    link_by_meaning(bank, [unit.id])


def note_edit(bank: Bank, unit: MemoryUnit, before: UnitState, *, actor: str, reason: str) -> None:
    after = read_state(bank, unit)
    old, new = (json.loads(json.dumps(asdict(state), default=str)) for state in (before, after))
    changed = [name for name in new if new[name] != old[name]]
    if changed:
        UnitChange.objects.for_tenant(bank.tenant_id).create(
            unit=unit,
            action=UnitChange.Action.EDITED,
            before={name: old[name] for name in changed},
            after={name: new[name] for name in changed},
            actor=actor,
            reason=reason,
        )
