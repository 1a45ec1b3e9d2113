"""Retain: archive the items and submit an operation that extracts facts. A small call waits for it."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db import IntegrityError
from django.utils import timezone

from banks.errors import MemoryInvalid
from banks.models import Bank, Document
from banks.retain.archive import archive_document, archive_messages
from banks.retain.input import RetainItem
from banks.retain.ready_facts import archive_facts, write_payload
from banks.retain.transcript_chunks import mark_transcripts
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.own_llm import check_tokens
from memoryplatform.operations.banks.profile import find_or_create_bank
from memoryplatform.operations.idempotency import find_operation
from memoryplatform.operations.memories.newest_metadata import MetadataRule
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import Screened, screen_fields, screen_items, store_quarantined
from memoryplatform.operations.running.fair_queue import check_queue_room
from memoryplatform.operations.running.kind_names import RETAIN
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.registry import get_kind
from memoryplatform.operations.running.submit import retry, submit
from providers.llm.protocol import Task
from providers.registry import get_embedder
from retrieval.filters.tags import UNDER_SEVERAL
from tenants.models import Quota
from tenants.quotas import check_room
from tenants.transactions import QuotaExceeded, tenant_transaction


def refuse_marks(tags: Iterable[str]) -> None:
    """Refuses reserved tags, which would hide a memory from queries by tags. An import may contain them."""
    if mark := next((tag for tag in tags if tag.startswith(UNDER_SEVERAL)), None):
        raise MemoryInvalid(f"The tag '{mark}' is set by the platform alone.")


NEEDED = (Quota.MEMORIES, Quota.STORED_BYTES)
MOST_ITEMS_TO_WAIT_FOR = 100  # more is answered with the operation's id
MOST_CHARACTERS_TO_WAIT_FOR = 100_000


def retain(  # noqa: PLR0913  # the parts of a call
    access: BankAccess,
    bank_id: str,
    items: Sequence[RetainItem],
    *,
    wait: bool,
    idempotency_key: str | None = None,
    metadata_rule: MetadataRule | None = None,
    settings: Mapping[str, Any] | None = None,
    change: Mapping[str, Any] | None = None,
) -> Operation:
    """Accepts the items. With `wait`, a small call returns the finished operation.

    A known key returns its first operation, whose `items_digest` identifies the items. Without a `metadata_rule` a
    confirmed memory has the metadata of all its sources. `settings` replace extraction settings of the bank for this
    call. `change` is what the history of the documents tells of this call. The bank's protection is applied before
    anything is stored.

    Raises EmbeddingModelUnavailable, or QuotaExceeded if a quota is used up, without storing anything. If the quota is
    reached on the way, the source stays in the archive and the operation fails. It can be retried; the same key
    retries it too.
    """
    refuse_marks(tag for item in items for tag in item.tags)
    check_room(access.tenant_id, *NEEDED)
    check_tokens(access.tenant_id, Task.EXTRACT)
    bank, _ = find_or_create_bank(access, bank_id)
    get_embedder(bank.embedding_model)
    here = wait and is_small(items)
    asked: dict[str, Any] = {"metadata_rule": metadata_rule.write()} if metadata_rule else {}
    asked |= {"items_digest": digest_items(items)} if idempotency_key else {}
    asked |= {"settings": screen_fields(bank, settings, are_settings=True)} if settings else {}
    asked |= {"change": dict(change)} if change else {}
    screened = screen_items(bank, items)
    try:
        operation = accept(access, bank, screened, idempotency_key=idempotency_key, wake=not here, asked=asked)
    except IntegrityError:  # a concurrent call with the same key was faster
        operation = accept(access, bank, screened, idempotency_key=idempotency_key, wake=not here, asked=asked)
    if operation.error_code == QuotaExceeded.code and operation.is_finished:
        retry(access.tenant_id, operation.id, actor=access.actor)
    elif not here:
        return operation
    if here:
        perform(access.tenant_id, operation.id)
    with tenant_transaction(access.tenant_id):
        done = Operation.objects.for_tenant(access.tenant_id).get(id=operation.id)
        done.read_usage()
    if here and done.error_code == QuotaExceeded.code:
        raise QuotaExceeded(access.tenant_id, **(done.result or {}))
    return done


def accept(
    access: BankAccess,
    bank: Bank,
    screened: Screened,
    *,
    idempotency_key: str | None,
    wake: bool,
    asked: Mapping[str, Any],
) -> Operation:
    """Archives the items and submits the operation in one transaction."""
    with tenant_transaction(access.tenant_id):
        if idempotency_key and (known := find_operation(access.tenant_id, RETAIN, idempotency_key, now=timezone.now())):
            known.read_usage()
            return known
        if wake:
            check_queue_room(access.tenant_id, get_kind(RETAIN).queue)
        payload = dict(asked) | ({"notes": list(screened.notes)} if screened.notes else {})
        if screened.quarantined:
            payload["quarantined"] = store_quarantined(access, bank, screened)
        payload["sources"] = [
            source | asked.get("change", {}) | ({"flags": list(flags)} if flags else {})
            for item, flags in zip(join_documents(mark_transcripts(bank, screened.items)), screened.flags, strict=True)
            for source in archive(bank, item)
        ]
        payload["bytes"] = sum(len(text.encode()) for text in list_texts(screened.items))
        operation = submit(
            access.tenant_id,
            RETAIN,
            payload=payload,
            bank=bank,
            idempotency_key=idempotency_key,
            api_key_prefix=access.actor.api_key_prefix,
            wake=wake,
        )
        detail = {"operation_id": str(operation.id), "items": len(screened.items)}
        access.record("retain.accepted", f"bank:{bank.bank_id}", detail)
        return operation


def digest_items(items: Sequence[RetainItem]) -> str:
    """A hash of the texts. Times and document ids do not count: defaults differ from call to call."""
    told = [
        (item.text, [(one.role, one.content) for one in item.messages], [fact.text for fact in item.facts])
        for item in items
    ]
    return hashlib.sha256(repr(told).encode()).hexdigest()


def join_documents(items: Sequence[RetainItem]) -> Iterator[RetainItem]:
    """Within one call a document is the sum of its items: only the first may replace the stored document."""
    begun: set[str] = set()
    for item in items:
        yield replace(item, update_mode="append") if item.document_id in begun else item
        if item.document_id and not item.messages:
            begun.add(item.document_id)


def archive(bank: Bank, item: RetainItem) -> list[dict[str, Any]]:
    """The sources of the operation: a document, or the messages of each thread."""
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
    return [{**name_piece(archive_document(bank, item), item), **about}]


def name_piece(document: Document, item: RetainItem) -> dict[str, Any]:
    is_append = item.update_mode == "append" and document.version > 1
    change = "append" if is_append else "retain"
    return {"document_pk": str(document.id), "version": document.version, "change": change}


def archive_ready_facts(bank: Bank, item: RetainItem) -> dict[str, Any]:
    """The payload has the fields of the facts, besides their texts, until they are stored."""
    archived = archive_facts(bank, item)
    return {
        **name_piece(archived.document, item),
        "fact_chunks": write_payload(archived.chunks),
        "dropped_chunks": [str(row_id) for row_id in archived.dropped],
    }


def list_texts(items: Sequence[RetainItem]) -> list[str]:
    return [
        text
        for item in items
        for text in (item.text, *(one.content for one in item.messages), *(fact.text for fact in item.facts))
    ]


def is_small(items: Sequence[RetainItem]) -> bool:
    characters = sum(map(len, list_texts(items)))
    return len(items) <= MOST_ITEMS_TO_WAIT_FOR and characters <= MOST_CHARACTERS_TO_WAIT_FOR
