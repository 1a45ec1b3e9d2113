"""What became of a document while its own retain was at work on it."""

from dataclasses import dataclass, replace
from uuid import UUID

from banks.models import Bank, Document
from banks.retain.tools import Retained
from tenants.transactions import tenant_transaction


class SourceGone(Exception):
    """Nothing is left to be done for this source. The tenant reads the text."""


class SourceDeleted(SourceGone):
    def __init__(self) -> None:
        super().__init__("The document was deleted meanwhile: nothing of it is kept.")


class SourceReplaced(SourceGone):
    def __init__(self) -> None:
        super().__init__("The document was replaced meanwhile: the call that replaced it retains what it says now.")


@dataclass(frozen=True)
class BroughtPiece:
    """What a call brought to a document; `version` is what the document had by then, None where that is not known."""

    bank: Bank
    document_pk: UUID
    version: int | None = None


def check_still_there(brought: BroughtPiece) -> None:
    """Raises SourceGone where the document was deleted, or replaced by a later call."""
    with tenant_transaction(brought.bank.tenant_id):
        rows = Document.objects.for_tenant(brought.bank.tenant_id).filter(id=brought.document_pk)
        check_piece(rows.defer("text").first(), brought)


def check_piece(document: Document | None, brought: BroughtPiece) -> Document:
    if document is None:
        raise SourceDeleted
    if brought.version is not None and all(one.get("version") != brought.version for one in document.pieces):
        raise SourceReplaced
    return document


def give_way(outcomes: list[Retained], gone: SourceGone) -> list[Retained]:
    """With what was spent. Units of a deleted document went with it; of a replaced one, what it still says stays."""
    if isinstance(gone, SourceDeleted):
        outcomes = [replace(outcome, units=()) for outcome in outcomes]
    return [*outcomes, Retained(note=str(gone))]
