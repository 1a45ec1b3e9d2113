"""A document as one call wrote it, which a later call may replace or delete while a worker reads it."""

from dataclasses import dataclass, replace
from uuid import UUID

from banks.models import Bank, Document
from banks.retain.tools import Retained
from tenants.transactions import tenant_transaction


class SourceGone(Exception):
    """The source needs no more work. The tenant reads the text."""


class SourceDeleted(SourceGone):
    def __init__(self) -> None:
        super().__init__("The document was deleted meanwhile: nothing of it is kept.")


class SourceReplaced(SourceGone):
    def __init__(self) -> None:
        super().__init__("The document was replaced meanwhile: the call that replaced it retains its new text.")


@dataclass(frozen=True)
class DocumentVersion:
    """A document as one call wrote it. `version` also names the piece that the call brought."""

    bank: Bank
    document_pk: UUID
    version: int


def load_document(source: DocumentVersion, *, lock: bool = False, with_text: bool = True) -> Document:
    """Raises SourceGone if the document was deleted, or replaced by a later call. Call inside a tenant transaction."""
    rows = Document.objects.for_tenant(source.bank.tenant_id).filter(id=source.document_pk)
    if lock:
        rows = rows.select_for_update(no_key=True)
    document = (rows if with_text else rows.defer("text")).first()
    if document is None:
        raise SourceDeleted
    if all(piece.get("version") != source.version for piece in document.pieces):
        raise SourceReplaced
    return document


def check_still_there(source: DocumentVersion) -> None:
    with tenant_transaction(source.bank.tenant_id):
        load_document(source, with_text=False)


def note_source_gone(outcomes: list[Retained], gone: SourceGone) -> list[Retained]:
    """The outcomes so far, with their usage. The units of a deleted document were deleted with it. A replaced document
    keeps the units that its new text still states.
    """
    if isinstance(gone, SourceDeleted):
        outcomes = [replace(outcome, units=()) for outcome in outcomes]
    return [*outcomes, Retained(note=str(gone))]
