"""Editing a memory by hand. Nothing changes without a row that says what it was before."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from banks.embedding_texts import build_unit_text
from banks.entities.outdated import forget_descriptions
from banks.errors import MemoryChanged, MemoryExists, MemoryInvalid, MemoryState
from banks.lifecycle.announced.announce import take_back, take_back_resting_on
from banks.lifecycle.close import close_units
from banks.lifecycle.closings import Closing
from banks.links.semantic import link_by_meaning
from banks.models import Bank, Corpus, Link, MemoryUnit, UnitChange, UnitMetadata, UnitTag
from banks.retain.prepared import hash_tags, hash_telling
from banks.retain.types import ExtractedFact
from banks.text_index.write import replacing_texts, retire_texts
from banks.words import FACTUAL, Network
from providers.embedding.vector import Vector

DERIVED = ("content_hash", "tags_hash", "dimensions", "valid_from", "embedding", "updated_at")


@dataclass(frozen=True)
class UnitEdit:
    """The fields that a caller gave; None leaves a field as it is, `cleared` names those that become empty."""

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

    def columns(self) -> dict[str, Any]:
        given = asdict(self)
        for name in ("tags", "metadata", "cleared"):
            del given[name]
        return {name: value for name, value in given.items() if value is not None} | dict.fromkeys(self.cleared)


@dataclass(frozen=True)
class UnitState:
    """All of a unit that can be edited, as it is."""

    text: str
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

    @property
    def version(self) -> str:
        """Another one as soon as anything of it is another; a proof or a link more makes none."""
        written = json.dumps(asdict(self), sort_keys=True, default=str).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(written, digest_size=16).hexdigest()


def read_state(bank: Bank, unit: MemoryUnit) -> UnitState:
    """Call inside a tenant transaction."""
    tags = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit=unit).values_list("tag", flat=True)
    metadata = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(unit=unit).values_list("key", "value")
    return UnitState(
        text=unit.text,
        network=unit.network,
        context=unit.context,
        occurred_start=unit.occurred_start,
        occurred_end=unit.occurred_end,
        mentioned_at=unit.mentioned_at,
        importance=unit.importance,
        confidence=unit.confidence,
        expired_at=unit.expired_at,
        tags=tuple(sorted(tags)),
        metadata=dict(sorted(metadata)),
    )


def check_version(unit: MemoryUnit, state: UnitState, expected: frozenset[str] | None) -> None:
    if expected is not None and state.version not in expected:
        raise MemoryChanged(unit.id)


def build_edited_text(state: UnitState, edit: UnitEdit) -> str | None:
    """What is to be embedded anew; None where the vector stays right."""
    columns = asdict(state) | edit.columns()
    before, after = (
        build_unit_text(
            row["text"], row["network"], occurred_start=row["occurred_start"], occurred_end=row["occurred_end"]
        )
        for row in (asdict(state), columns)
    )
    return after if after != before else None


def build_edited_fact(state: UnitState, edit: UnitEdit) -> ExtractedFact | None:
    """What is to be read anew; None where nothing was read out of the text, or it stays."""
    after = asdict(state) | edit.columns()
    if after["text"] == state.text or FACTUAL.isdisjoint((state.network, after["network"])):
        return None
    times = {name: after[name] for name in ("mentioned_at", "occurred_start", "occurred_end")}
    return ExtractedFact(after["text"], Network(after["network"]), **times)


def edit_unit(bank: Bank, unit: MemoryUnit, edit: UnitEdit, *, vector: Vector | None, actor: str, reason: str) -> None:
    """Call inside a tenant transaction, after `lock_memory`, with the row as it is now.

    `vector` is that of `build_edited_text`. The five dimensions were read out of the former text and go with it. What
    else a fact told by it is the matter of `banks.lifecycle.retell`. An end that was announced for the former words or
    the former time goes, too.
    """
    if unit.expired_at is not None:
        raise MemoryState("A closed memory can't be edited; restore it first.")
    before = read_state(bank, unit)
    columns = edit.columns()
    if unit.announced_at is not None and tells_otherwise(before, columns):
        take_back(bank, unit, actor=actor)
    for name, value in columns.items():
        setattr(unit, name, value)
    if unit.text != before.text:
        unit.dimensions = {}
    if "occurred_start" in columns:
        unit.valid_from = unit.occurred_start
    check_edited(unit)
    unit.tags_hash = hash_tags(before.tags if edit.tags is None else edit.tags)
    check_not_said_yet(bank, unit)
    if vector is not None:
        unit.embedding = vector
    with replacing_texts(bank, Corpus.UNIT, [unit.id] if unit.text != before.text else []):
        unit.save(update_fields=[*columns, *DERIVED])
    replace_labels(bank, unit, edit)
    if tells_otherwise(before, columns):
        announce_anew(bank, unit, is_reread=unit.text != before.text, actor=actor)
    if vector is not None:
        link_anew(bank, unit)
    if (unit.text, unit.network) != (before.text, before.network):
        forget_descriptions(bank, unit, networks=[before.network, unit.network])
    note_edit(bank, unit, before, actor=actor, reason=reason)


def tells_otherwise(before: UnitState, columns: dict[str, Any]) -> bool:
    return any(name in columns and columns[name] != getattr(before, name) for name in ("text", "occurred_start"))


def announce_anew(bank: Bank, unit: MemoryUnit, *, is_reread: bool, actor: str) -> None:
    """What it was to end on a day ahead ends when it begins by now. What another text ends is found when it is read."""
    waiting = take_back_resting_on(bank, [unit.id], actor=actor)
    if unit.valid_from is not None and not is_reread:
        closings = [Closing(unit_id, unit.id, unit.valid_from) for unit_id in waiting]
        closed = close_units(bank, closings, now=timezone.now(), actor=actor)
        retire_texts(bank, Corpus.UNIT, closed.unit_ids)
        retire_texts(bank, Corpus.RELATIONSHIP, closed.relationship_ids)


def check_edited(unit: MemoryUnit) -> None:
    if unit.occurred_end and (unit.occurred_start is None or unit.occurred_end < unit.occurred_start):
        raise MemoryInvalid("It can't have ended before it began.")
    if unit.valid_from and unit.valid_until and unit.valid_until < unit.valid_from:
        raise MemoryInvalid("It can't begin after it stopped being true.")
    if (unit.network == Network.OPINION) != (unit.confidence is not None):
        raise MemoryInvalid("Opinions have a confidence, and nothing else does.")


def check_not_said_yet(bank: Bank, unit: MemoryUnit) -> None:
    unit.content_hash = hash_telling(unit.text, unit.occurred_start, unit.mentioned_at)
    live = MemoryUnit.objects.of_bank(bank).current().exclude(id=unit.id)
    same = live.filter(network=unit.network, content_hash=unit.content_hash, tags_hash=unit.tags_hash)
    if (other := same.first()) is not None:
        raise MemoryExists(other.id)


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
