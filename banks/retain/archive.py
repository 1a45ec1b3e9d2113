"""The first step: what came in is stored as it came, in the transaction that accepts the call."""

import hashlib
from uuid import UUID

from banks.models import Bank, Document, Message
from banks.models.spoken import find_utc_offset
from banks.retain.documents.pieces import describe_first, describe_piece, list_former_labels, list_pieces
from banks.retain.input import RetainItem
from banks.retain.labels import Labels
from tenants.identifiers import uuid7


def archive_messages(bank: Bank, item: RetainItem) -> dict[str, list[UUID]]:
    """Append the messages of a conversation and return their ids, in order, by their threads.

    Call inside a tenant transaction.
    """
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
    """Store a text under its id, or bring the one that is there up to date. Call inside a tenant transaction."""
    document = lock_document(bank, item)
    if document.text and item.update_mode == "append":
        append_to(document, item, item.text)
    else:
        save_document(document, item, item.text)
    return document


def append_to(document: Document, item: RetainItem, text: str) -> None:
    """What was said of the document before stays said: its date, its context, its labels."""
    document.version += 1
    piece = describe_piece(len(document.text) + 1, item, version=document.version)
    document.pieces = [*(document.pieces or [describe_first(document)]), piece]
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
    document.pieces = [describe_piece(0, item, version=document.version)]
    if former:
        document.pieces[0]["former"] = [labels.write() for labels in former]
    document.context, document.said_at = item.context, item.said_at
    document.utc_offset = find_utc_offset(item.said_at)
    document.tags, document.metadata = list(item.tags), item.metadata
    document.save()


def list_outdated(document: Document, labels: Labels) -> list[Labels]:
    """What the document's units have or may still have, and what comes in its place does not say."""
    known = [*list_former_labels(document), *(piece.labels for piece in list_pieces(document))]
    return [one for place, one in enumerate(known) if one != labels and one not in known[:place]]


def lock_document(bank: Bank, item: RetainItem) -> Document:
    """The row of that id, made where it is missing: two calls at once meet in the same one, one after the other.

    The insert locks a row that is there, so that nobody deletes it before it is read.
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


def hash_text(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
