"""The first step: what came in is stored as it came, in the transaction that accepts the call."""

import hashlib
from uuid import UUID

from banks.models import Bank, Document, Message
from banks.models.spoken import find_utc_offset
from banks.retain.input import RetainItem
from banks.retain.pieces import describe_piece
from tenants.identifiers import uuid7


def archive_messages(bank: Bank, item: RetainItem) -> list[UUID]:
    """Append the messages of a conversation and return their ids, in order. Call inside a tenant transaction."""
    rows = [
        Message(
            bank=bank,
            thread=item.thread,
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
    return [row.id for row in rows]


def archive_document(bank: Bank, item: RetainItem) -> UUID:
    """Store a text under its id, or bring the one that is there up to date. Call inside a tenant transaction."""
    document = lock_document(bank, item)
    if document.text and item.update_mode == "append":
        append_to(document, item)
    else:
        save_document(document, item, item.text)
    return document.id


def append_to(document: Document, item: RetainItem) -> None:
    """What was said of the document before stays said: its date, its context, its labels."""
    first = {"start": 0, "said_at": document.said_locally.isoformat(), "infer": True}
    document.pieces = [*(document.pieces or [first]), describe_piece(len(document.text) + 1, item)]
    document.text = f"{document.text}\n{item.text}"
    document.content_hash = hash_text(document.text)
    document.context = document.context or item.context
    document.tags = list(dict.fromkeys((*document.tags, *item.tags)))
    document.metadata = document.metadata | item.metadata
    document.version += 1
    document.save()


def save_document(document: Document, item: RetainItem, text: str) -> None:
    document.text, document.content_hash = text, hash_text(text)
    document.pieces = [describe_piece(0, item)]
    document.context, document.said_at = item.context, item.said_at
    document.utc_offset = find_utc_offset(item.said_at)
    document.tags, document.metadata = list(item.tags), item.metadata
    document.version += 1
    document.save()


def lock_document(bank: Bank, item: RetainItem) -> Document:
    """The row of that id, made where it is missing: two calls at once meet in the same one, one after the other."""
    rows = Document.objects.for_tenant(bank.tenant_id)
    document_id = item.document_id or uuid7().hex
    empty = Document(
        bank=bank, document_id=document_id, text="", content_hash=hash_text(""), said_at=item.said_at, version=0
    )
    rows.bulk_create([empty], ignore_conflicts=True)
    return rows.select_for_update(no_key=True).get(bank=bank, document_id=document_id)


def hash_text(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
