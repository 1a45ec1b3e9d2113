"""Protection of texts that come in: they are screened before anything of them is archived.

Every route that adds text calls `screen_items`, `screen_edit`, `screen_fields` or, for lines of an import,
`screen_row`. The modes of a bank (`protection/modes.py`) say what follows from a finding. docs/protection.md describes
them.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import models
from pgvector.django import VectorField
from pydantic import TypeAdapter

from banks.errors import MemoryInvalid
from banks.lifecycle.editing import UnitEdit
from banks.models import Bank, Chunk, ChunkPart, MemoryUnit, QuarantinedItem, UnitSource
from banks.retain.input import RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import ProtectionRefused
from memoryplatform.operations.transfer.values import Field, InvalidValue
from protection.findings import Finding, redact
from protection.modes import Protection
from tenants.sealed_text import SealedText

T = TypeVar("T")
NOT_TEXT = frozenset({"role", "update_mode", "network"})  # values of a fixed list
IDENTIFIERS = frozenset({"document_id", "thread", "actor"})  # two different ones must not become equal
ITEM = TypeAdapter(RetainItem)
API_NAMES = {"text": "content", "relationships": "relations"}  # fields of an item under other names in the API


@dataclass(frozen=True)
class Located:
    """A finding in a field of what was sent, such as `items.0.messages.2.content`."""

    field: str
    finding: Finding

    def write(self) -> dict[str, Any]:
        one = self.finding
        return {
            "field": self.field,
            "family": one.family.value,
            "kind": one.kind,
            "start": one.start,
            "end": one.end,
        }


@dataclass(frozen=True)
class Screened:
    """Items to archive with the families that flag them, items for quarantine, and notes for the caller."""

    items: tuple[RetainItem, ...] = ()
    flags: tuple[tuple[str, ...], ...] = ()
    quarantined: tuple[tuple[RetainItem, tuple[Located, ...]], ...] = ()
    notes: tuple[str, ...] = ()


def screen_items(bank: Bank, items: Sequence[RetainItem]) -> Screened:
    """Raises ProtectionRefused if the bank refuses one of them: then nothing of the call is stored."""
    protection = Protection.read(bank.protection)
    if protection.is_off:
        return Screened(tuple(items), ((),) * len(items))
    refuse(located for at, item in enumerate(items) for located in locate(protection, item, f"items.{at}", "refuse"))
    clean, flags, quarantined, redacted = [], [], [], set()
    for item in items:
        redacted |= {one.finding.kind for one in locate(protection, item, "", "redact")}
        kept = redact_texts(bank, protection, item)
        if suspect := tuple(locate(protection, kept, "", "quarantine")):
            quarantined.append((kept, suspect))
        else:
            clean.append(kept)
            flags.append(list_flags(protection, kept))
    notes = [f"Redacted: {', '.join(sorted(redacted))}."] if redacted else []
    notes += [f"In quarantine: an item with {name_kinds(suspect)}." for _, suspect in quarantined]
    return Screened(tuple(clean), tuple(flags), tuple(quarantined), tuple(notes))


def refuse(located: Iterable[Located]) -> None:
    if found := list(located):
        raise ProtectionRefused(f"This bank refuses texts with {name_kinds(found)}.", [one.write() for one in found])


def name_kinds(found: Iterable[Located]) -> str:
    return ", ".join(sorted({one.finding.kind for one in found}))


def locate(protection: Protection, value: Any, path: str, *modes: str) -> Iterator[Located]:
    if not protection.list_families(*modes):
        return
    for place, text in walk_texts(value, path):
        yield from (Located(place, one) for one in protection.find(text, *modes))


def list_flags(protection: Protection, value: Any) -> tuple[str, ...]:
    return tuple(sorted({one.finding.family.value for one in locate(protection, value, "", "flag")}))


def walk_texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an item, with the name that it has in the API."""
    found: list[tuple[str, str]] = []

    def note(place: str, _name: str, text: str) -> str:
        found.append((place, text))
        return text

    map_texts(value, note, path)
    yield from found


def map_texts(value: Any, change: Callable[[str, str, str], str], path: str = "", name: str = "") -> Any:
    """A copy in which each text is the result of `change(path, name, text)`. Enums and dates stay."""
    if type(value) is str:
        return change(path.lstrip("."), name, value) if value and name not in NOT_TEXT else value
    if is_dataclass(value) and not isinstance(value, type):
        inner = {
            one.name: map_texts(getattr(value, one.name), change, f"{path}.{write_name(value, one.name)}", one.name)
            for one in fields(value)
        }
        return replace(value, **inner)
    if isinstance(value, tuple | list):
        return type(value)(map_texts(one, change, f"{path}.{at}", name) for at, one in enumerate(value))
    if isinstance(value, Mapping):
        pairs = enumerate(value.items())  # a key may be a finding itself, so it is not part of the path
        return {map_texts(key, change, path): map_texts(one, change, f"{path}.{at}") for at, (key, one) in pairs}
    return value


def write_name(owner: object, name: str) -> str:
    return name if name == "text" and not isinstance(owner, RetainItem) else API_NAMES.get(name, name)


def redact_texts(bank: Bank, protection: Protection, value: T) -> T:
    """An identifier with a finding is replaced as a whole, by a keyed hash: equal identifiers stay equal."""
    if not protection.list_families("redact"):
        return value

    def change(_path: str, name: str, text: str) -> str:
        found = protection.find(text, "redact")
        if found and name in IDENTIFIERS:
            key = settings.SECRET_KEY.encode()
            return f"redacted-{hmac.digest(key, bank.id.bytes + text.encode(), hashlib.sha256).hex()[:16]}"
        return redact(text, found)

    redacted: T = map_texts(value, change)
    return redacted


def screen_edit(bank: Bank, edit: UnitEdit, reason: str) -> tuple[UnitEdit, str, tuple[str, ...]]:
    """The edit, its reason, and the families that flag its text.

    In the mode `quarantine` the edit is refused, because the memory exists already.
    """
    edit, reason = screen_fields(bank, {"": edit, "reason": reason}).values()
    return edit, reason, list_flags(Protection.read(bank.protection), edit.text or "")


def screen_fields(bank: Bank, fields: Mapping[str, Any], *, are_settings: bool = False) -> dict[str, Any]:
    """Texts beside the memories: names, reasons, comments, settings. The fields have their names in the API.

    In the mode `quarantine` they are refused, because no item waits for a review. Settings are instructions of the
    bank's own people, so instructions are not looked for in them.
    """
    protection = Protection.read(bank.protection)
    if are_settings:
        protection = replace(protection, instructions="off")
    if protection.is_off:
        return dict(fields)
    refuse(one for name, value in fields.items() for one in locate(protection, value, name, "refuse", "quarantine"))
    return {name: redact_texts(bank, protection, value) for name, value in fields.items()}


def screen_row(protection: Protection, row: dict[str, Any], columns: Mapping[str, Field]) -> dict[str, Any]:
    """A row of an import. Redaction keeps the length of texts, because other rows point at their characters.

    Raises InvalidValue for a row that the bank refuses or would put into quarantine.
    """
    texts = [name for name, field in columns.items() if is_text(field) and row.get(name)]
    for name in texts:
        if found := list(locate(protection, row[name], name, "refuse", "quarantine")):
            raise InvalidValue(f"has {name_kinds(found)}, which this bank refuses")
    screened = dict(row)
    for name in texts:
        screened[name] = map_texts(
            row[name], lambda _path, _name, text: redact(text, protection.find(text, "redact"), keep_length=True)
        )
    if screened != row:  # vectors of the former text; the import makes new ones
        screened |= {name: None for name, field in columns.items() if isinstance(field, VectorField)}
    if "flags" in columns:
        screened["flags"] = sorted({*row["flags"], *list_flags(protection, [screened[name] for name in texts])})
    return screened


def is_text(field: Field) -> bool:
    is_string = isinstance(field, models.CharField | models.TextField) and not field.choices
    return is_string or isinstance(field, models.JSONField)


def flag_source(bank: Bank, source: Mapping[str, Any]) -> None:
    """Flags the memories and chunks of a source whose item had findings. Call inside a tenant transaction.

    A memory is flagged for its own text and for the words that it comes from: a model may have rewritten them.
    """
    if not source.get("flags"):
        return
    protection = Protection.read(bank.protection)
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    chunks = Chunk.objects.for_tenant(bank.tenant_id)
    if "document_pk" in source:
        chunks = chunks.filter(document_id=source["document_pk"])
        sources = sources.filter(chunk__document_id=source["document_pk"])
    else:
        parts = ChunkPart.objects.for_tenant(bank.tenant_id).filter(message_id__in=source["message_ids"])
        chunks = chunks.filter(id__in=parts.values("chunk_id"))
        sources = sources.filter(message_id__in=source["message_ids"])
    for chunk_id, text, flags in chunks.values_list("id", "text", "flags"):
        add_flags(Chunk, bank, chunk_id, flags, list_flags(protection, text))
    for one in sources.select_related("unit", "message", "chunk").defer(
        "unit__embedding", "unit__second_embedding", "chunk__embedding", "chunk__second_embedding"
    ):
        words = one.message.content if one.message else one.chunk.text if one.chunk else ""
        quoted = words[one.start : one.end] if one.end else words
        add_flags(
            MemoryUnit, bank, one.unit_id, one.unit.flags, list_flags(protection, (one.unit.rendered_text, quoted))
        )


def add_flags(
    model: type[Chunk] | type[MemoryUnit], bank: Bank, row_id: UUID, flags: Sequence[str], new: Iterable[str]
) -> None:
    if joined := set(new) - set(flags):
        rows = model.objects.for_tenant(bank.tenant_id).filter(id=row_id)
        rows.update(flags=sorted({*flags, *joined}))


def store_quarantined(access: BankAccess, bank: Bank, screened: Screened) -> list[str]:
    """The ids of the new rows. Call inside the tenant transaction that accepts the call."""
    ids = []
    for item, found in screened.quarantined:
        row = QuarantinedItem.objects.for_tenant(bank.tenant_id).create(
            bank=bank,
            item=ITEM.dump_json(item).decode(),
            findings=[one.write() for one in found],
            api_key_prefix=access.actor.api_key_prefix,
        )
        detail = {"bank_id": bank.bank_id, "kinds": sorted({one.finding.kind for one in found})}
        access.record("quarantine.added", f"quarantined_item:{row.id}", detail)
        ids.append(str(row.id))
    return ids


def read_quarantined(row: QuarantinedItem) -> RetainItem:
    if isinstance(row.item, SealedText):
        raise MemoryInvalid("The item can't be opened: the key that sealed it is gone.")
    return ITEM.validate_python(json.loads(row.item))
