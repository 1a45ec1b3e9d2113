"""Retain: archive what came in and hand the rest to an operation, which a small call waits for."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db import IntegrityError
from django.utils import timezone

from banks.errors import BankExists, BankNotFound
from banks.models import Bank, Document
from banks.retain.archive import archive_document, archive_messages
from banks.retain.input import RetainItem
from banks.retain.ready_facts.archive import archive_facts
from banks.retain.ready_facts.chunks import write_facts
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank, get_bank
from memoryplatform.operations.idempotency import find_operation
from memoryplatform.operations.memories.newest_metadata import MetadataRule
from memoryplatform.operations.models import Operation
from memoryplatform.operations.reserved_tags import refuse_marks
from memoryplatform.operations.running.kind_names import RETAIN
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from tenants.transactions import tenant_transaction

MOST_ITEMS_TO_WAIT_FOR = 100  # more is answered with the operation's id
MOST_CHARACTERS_TO_WAIT_FOR = 100_000


def retain(
    access: BankAccess,
    bank_id: str,
    items: Sequence[RetainItem],
    *,
    wait: bool,
    idempotency_key: str | None = None,
    metadata_rule: MetadataRule | None = None,
) -> Operation:
    """Accept the items. With `wait`, and a call that is small enough, return the finished operation.

    Under a key that is known it is the operation that was accepted then; its `items_digest` tells of what. Without a
    `metadata_rule` a memory that is told again has the metadata of all its tellings.
    """
    refuse_marks(tag for item in items for tag in item.tags)
    bank = find_or_create_bank(access, bank_id)
    here = wait and is_small(items)
    rule = {"metadata_rule": metadata_rule.write()} if metadata_rule else {}
    try:
        operation = accept(access, bank, items, idempotency_key=idempotency_key, wake=not here, asked=rule)
    except IntegrityError:  # the same call came twice at once, and the other was quicker
        operation = accept(access, bank, items, idempotency_key=idempotency_key, wake=not here, asked=rule)
    if here:
        perform(access.tenant_id, operation.id)
    with tenant_transaction(access.tenant_id):
        return Operation.objects.for_tenant(access.tenant_id).get(id=operation.id)


def accept(
    access: BankAccess,
    bank: Bank,
    items: Sequence[RetainItem],
    *,
    idempotency_key: str | None,
    wake: bool,
    asked: Mapping[str, Any],
) -> Operation:
    """One transaction: what was accepted is archived, and somebody will work on it."""
    with tenant_transaction(access.tenant_id):
        if idempotency_key and (known := find_operation(access.tenant_id, RETAIN, idempotency_key, now=timezone.now())):
            return known
        payload = dict(asked) | ({"items_digest": digest_items(items)} if idempotency_key else {})
        payload["sources"] = [source for item in join_documents(items) for source in archive(bank, item)]
        return submit(access.tenant_id, RETAIN, payload=payload, bank=bank, idempotency_key=idempotency_key, wake=wake)


def digest_items(items: Sequence[RetainItem]) -> str:
    """Of what a caller gave: that he gave no time, or no name of a document, is no difference."""
    told = [
        (item.text, [(one.role, one.content) for one in item.messages], [fact.text for fact in item.facts])
        for item in items
    ]
    return hashlib.sha256(repr(told).encode()).hexdigest()


def join_documents(items: Sequence[RetainItem]) -> Iterator[RetainItem]:
    """Within one call a document is the sum of its items: only the first of them can replace what it was before."""
    begun: set[str] = set()
    for item in items:
        yield replace(item, update_mode="append") if item.document_id in begun else item
        if item.document_id and not item.messages:
            begun.add(item.document_id)


def archive(bank: Bank, item: RetainItem) -> list[dict[str, Any]]:
    """What is to be worked on, each for itself: a document, or the messages of one thread."""
    about = {
        "infer": item.infer,
        **item.labels.write(),
        "entities": [asdict(entity) for entity in item.entities],
    }
    if item.messages:
        threads = archive_messages(bank, item)
        return [
            {"thread": thread, "message_ids": [str(one) for one in ids], **about} for thread, ids in threads.items()
        ]
    if item.facts:
        return [{**archive_ready_facts(bank, item), **about}]
    return [{**name_piece(archive_document(bank, item)), **about}]


def name_piece(document: Document) -> dict[str, Any]:
    return {"document_pk": str(document.id), "version": document.version}


def archive_ready_facts(bank: Bank, item: RetainItem) -> dict[str, Any]:
    """What the facts say beyond their texts stands in the payload until they are stored."""
    archived = archive_facts(bank, item)
    return {
        **name_piece(archived.document),
        "fact_chunks": [
            {"id": str(row_id), "facts": write_facts(chunk.facts), "start": chunk.start}
            for row_id, chunk in archived.chunks
        ],
        "dropped_chunks": [str(row_id) for row_id in archived.dropped],
    }


def is_small(items: Sequence[RetainItem]) -> bool:
    characters = sum(count_characters(item) for item in items)
    return len(items) <= MOST_ITEMS_TO_WAIT_FOR and characters <= MOST_CHARACTERS_TO_WAIT_FOR


def count_characters(item: RetainItem) -> int:
    said = sum(len(message.content) for message in item.messages)
    return len(item.text) + said + sum(len(fact.text) for fact in item.facts)


def find_or_create_bank(access: BankAccess, bank_id: str) -> Bank:
    """A bank comes into being with its first memory, unless the key may not reach it."""
    try:
        with tenant_transaction(access.tenant_id):
            return get_bank(access, bank_id)
    except BankNotFound:
        if not access.reaches(bank_id):
            raise
    try:
        return create_bank(access, bank_id, BankChange())
    except BankExists:  # somebody else was quicker
        with tenant_transaction(access.tenant_id):
            return get_bank(access, bank_id)
