"""Retaining a case through the real use-case."""

from uuid import UUID

from banks.models import Bank, Chunk, Document, Message
from benchmarks.recall.asking import Haystack
from benchmarks.recall.cases import Case, Shape, WrittenTurn, build_items, name_shape, write_document, write_documents
from benchmarks.recall.quoting import TurnPlaces
from benchmarks.tenant import make_bank, perform_now, retain_now
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.models import Operation
from tenants.transactions import tenant_transaction

ITEMS_A_CALL = 100


def retain_case(access: BankAccess, case: Case, shape: Shape = "messages") -> Haystack:
    """Reuse a bank that already holds the whole case. A bank that an aborted run filled in part is filled again."""
    case = name_shape(case, shape)
    bank = find_bank(access, case)
    if bank is None or not is_whole(bank, case, shape):
        if bank is not None:
            perform_now(access.tenant_id, delete_bank_for_good(access, bank.bank_id).id)
        fill(access, case, shape)
    with tenant_transaction(access.tenant_id):
        rows = Message.objects.for_tenant(access.tenant_id).filter(bank__bank_id=case.name).values_list("id", "actor")
        chunks = {} if shape == "messages" else place_in_chunks(access, case, shape)
        return Haystack(access, case, TurnPlaces(dict(rows), chunks))


def place_in_chunks(access: BankAccess, case: Case, shape: Shape) -> dict[UUID, list[WrittenTurn]]:
    """Call inside a tenant transaction."""
    written = {name: write_document(turns)[1] for name, turns in write_documents(case, shape).items()}
    rows = Chunk.objects.for_tenant(access.tenant_id).filter(bank__bank_id=case.name, document__isnull=False)
    return {
        chunk_id: [WrittenTurn(one.key, one.start - start, one.end - start) for one in written[document_id]]
        for chunk_id, start, document_id in rows.values_list("id", "start", "document__document_id")
    }


def find_bank(access: BankAccess, case: Case) -> Bank | None:
    with tenant_transaction(access.tenant_id):
        return Bank.objects.for_tenant(access.tenant_id).live().filter(bank_id=case.name).first()


def is_whole(bank: Bank, case: Case, shape: Shape = "messages") -> bool:
    with tenant_transaction(bank.tenant_id):
        retains = Operation.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, kind="retain")
        rows = Message.objects.of_bank(bank) if shape == "messages" else Document.objects.of_bank(bank)
        wanted = len(case.turns) if shape == "messages" else len(write_documents(case, shape))
        return rows.count() == wanted and not retains.exclude(status=Operation.Status.COMPLETED).exists()


def fill(access: BankAccess, case: Case, shape: Shape) -> None:
    bank = make_bank(access, case.name)
    items = build_items(case, shape)
    for start in range(0, len(items), ITEMS_A_CALL):
        retain_now(access, bank.bank_id, items[start : start + ITEMS_A_CALL])
