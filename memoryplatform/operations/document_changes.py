"""Changes of a stored document that read its own text again: other tags, and a new extraction."""

from dataclasses import replace
from typing import Any

from banks.document_pieces import list_pieces
from banks.errors import MemoryInvalid
from banks.models import Document
from banks.retain.input import RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.documents import delete_document, get_document
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from tenants.transactions import tenant_transaction


def change_tags(access: BankAccess, bank_id: str, document_id: str, tags: tuple[str, ...]) -> Operation:
    """The text is sent again with the new tags: its memories get them, and nothing is extracted anew."""
    with bank_transaction(access, bank_id) as bank:
        item = build_item(get_document(bank, document_id))
    return retain(access, bank_id, [replace(item, tags=tags)], wait=True)


def reprocess_document(access: BankAccess, bank_id: str, document_id: str) -> Operation:
    """Deletes the document's memories and extracts them anew, in the background.

    The deletion and the new document are one transaction, so that a failure leaves the former document.
    """
    with tenant_transaction(access.tenant_id):
        with bank_transaction(access, bank_id) as bank:
            item = build_item(get_document(bank, document_id, lock=True))
        delete_document(access, bank_id, document_id)
        return retain(access, bank_id, [item], wait=False)


def build_item(document: Document) -> RetainItem:
    """The item that stores the document.

    Raises MemoryInvalid for a document that several calls wrote, or that has ready facts: no single item stores it.
    """
    (first, *others) = list_pieces(document)
    if others or first.is_ready:
        raise MemoryInvalid("This document was written by several calls, or from ready facts: retain its parts again.")
    labels: dict[str, Any] = {
        "context": first.labels.context,
        "tags": tuple(first.labels.tags),
        "metadata": dict(first.labels.metadata),
    }
    return RetainItem(
        said_at=first.said_at,
        text=document.text,
        document_id=document.document_id,
        infer=first.infer,
        is_transcript=first.is_transcript,
        **labels,
    )
