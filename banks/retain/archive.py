"""The first step of retain: the input is stored unchanged, in the transaction that accepts the call."""

from typing import Any
from uuid import UUID

from banks.document_pieces import hash_text, list_former_labels, list_pieces, write_first_piece, write_piece
from banks.errors import LegalHold
from banks.models import Bank, Document, Message
from banks.models.archive import find_utc_offset
from banks.retain.input import RetainItem
from banks.types import Labels
from tenants.identifiers import uuid7


def archive_messages(bank: Bank, item: RetainItem) -> dict[str, list[UUID]]:
    """Append the messages of a conversation. Returns their ids by thread. Call inside a tenant transaction."""
    rows = [
        Message(
            bank=bank,
            thread=message.thread or item.thread,
            role=message.role,
            speaker=message.speaker,
            actor=message.actor,
            content=message.content,
            said_at=message.said_at,
            utc_offset=find_utc_offset(message.said_at),
        )
        for message in item.messages
    ]
    Message.objects.for_tenant(bank.tenant_id).bulk_create(rows)
    threads: dict[str, list[UUID]] = {}
    for row in rows:
        threads.setdefault(row.thread, []).append(row.id)
    return threads


def archive_document(bank: Bank, item: RetainItem) -> Document:
    """Store a text under its id, or replace or extend the stored one. Call inside a tenant transaction."""
    document = lock_document(bank, item)
    if document.text and item.update_mode == "append":
        append_to(document, item, item.text)
    else:
        check_replaceable(bank, document, item.text)
        save_document(document, item, item.text)
    return document


def check_replaceable(bank: Bank, document: Document, text: str) -> None:
    """A replaced text is deleted with its memories, which a legal hold forbids. The bank's row is read again."""
    if document.text in {"", text}:
        return
    if Bank.objects.for_tenant(bank.tenant_id).filter(id=bank.id, held_since__isnull=False).exists():
        raise LegalHold(bank.bank_id)


def append_to(document: Document, item: RetainItem, text: str) -> None:
    """The document keeps its date and context, and gets the new labels beside its own."""
    document.version += 1
    piece = build_piece(len(document.text) + 1, item, document)
    document.pieces = [*(document.pieces or [write_first_piece(document)]), piece]
    document.text = f"{document.text}\n{text}"
    document.content_hash = hash_text(document.text)
    document.context = document.context or item.context
    document.tags = list(dict.fromkeys((*document.tags, *item.tags)))
    document.metadata = document.metadata | item.metadata
    document.save()


def save_document(document: Document, item: RetainItem, text: str) -> None:
    former = list_outdated(document, item.labels) if document.version else []
    document.version += 1
    document.text, document.content_hash = text, hash_text(text)
    document.pieces = [build_piece(0, item, document)]
    if former:
        document.pieces[0]["former"] = [labels.write() for labels in former]
    document.context, document.said_at = item.context, item.said_at
    document.utc_offset = find_utc_offset(item.said_at)
    document.tags, document.metadata = list(item.tags), item.metadata
    document.save()


def build_piece(start: int, item: RetainItem, document: Document) -> dict[str, Any]:
    return write_piece(
        start,
        item.said_at,
        item.labels,
        version=document.version,
        infer=item.infer,
        is_ready=bool(item.facts),
        is_transcript=item.is_transcript,
    )


def list_outdated(document: Document, labels: Labels) -> list[Labels]:
    """Labels that units of the document may still have, other than the new ones."""
    known = [*list_former_labels(document), *(piece.labels for piece in list_pieces(document))]
    return [one for place, one in enumerate(known) if one != labels and one not in known[:place]]


def lock_document(bank: Bank, item: RetainItem) -> Document:
    """Find or create the row of that id. Two calls at once get the same row, one after the other.

    The insert locks an existing row, so that no other call deletes it before it is read.
    """
    rows = Document.objects.for_tenant(bank.tenant_id)
    document_id = item.document_id or uuid7().hex
    empty = Document(
        bank=bank, document_id=document_id, text="", content_hash=hash_text(""), said_at=item.said_at, version=0
    )
    rows.bulk_create(
        [empty], update_conflicts=True, unique_fields=["bank", "document_id"], update_fields=["document_id"]
    )
    return rows.get(bank=bank, document_id=document_id)
