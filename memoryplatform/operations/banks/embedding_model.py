"""The embedding model of a bank: its state, and the requests to change it."""

from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import structlog

from banks.embedding_change import BEFORE_ALL, check_state, fill_vectors
from banks.errors import EmbeddingChangeState, EmbeddingModelChanged
from banks.models import Bank
from banks.models.bank import VectorChange
from banks.vector_index.index import SLOTS
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CHANGE_EMBEDDING_MODEL
from memoryplatform.operations.running.submit import submit
from providers.errors import ProviderError
from providers.registry import get_embedder, list_embedding_models
from providers.usage import Usage
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

log = structlog.get_logger(__name__)

FILLING, READY, SWITCHED = VectorChange.FILLING, VectorChange.READY, VectorChange.SWITCHED
# The states in which a request is taken. The deletion of vectors that failed can be asked for again.
ALLOWED = {
    "switch": (READY,),
    "rollback": (SWITCHED,),
    "finish": (SWITCHED, VectorChange.CLEARING),
    "abandon": (FILLING, READY, VectorChange.CLEARING),
}


@dataclass(frozen=True)
class ModelState:
    """`operation` is the newest one of the change."""

    bank: Bank
    models: list[str]
    operation: Operation | None


def get_state(access: BankAccess, bank_id: str) -> ModelState:
    with bank_transaction(access, bank_id) as bank:
        operation = find_operations(bank).order_by("-id").first()
    return ModelState(bank, list_embedding_models(), operation)


def request_change(
    access: BankAccess, bank_id: str, model: str, *, switch: str = "manual", least_overlap: float = 0.0
) -> Operation:
    """Begin to make vectors of the model, or go on where a failed operation of the same change ended.

    The model that the bank has may be asked for too: all vectors are made again then. Raises EmbeddingModelUnavailable
    for a model that the deployment does not have.
    """
    get_embedder(model)
    with bank_transaction(access, bank_id, lock=True) as bank:
        check_alone(bank)
        if not (bank.vector_change == FILLING and bank.other_embedding_model == model):
            check_state(bank, "")
            bank.other_embedding_model, bank.vector_change = model, FILLING
            bank.save(update_fields=["other_embedding_model", "vector_change", "updated_at"])
        payload = {"act": "fill", "switch": switch, "least_overlap": least_overlap}
        return submit_act(access, bank, "change", payload)


def request_act(access: BankAccess, bank_id: str, name: str) -> Operation:
    """`name` is a key of `ALLOWED`. An operation that is being performed is stopped by abandoning the change only."""
    with bank_transaction(access, bank_id, lock=True) as bank:
        check_state(bank, *ALLOWED[name])
        if name != "abandon":
            check_alone(bank)
        return submit_act(access, bank, name, {"act": name})


def submit_act(access: BankAccess, bank: Bank, name: str, payload: dict[str, Any]) -> Operation:
    detail = {"act": name, "model": bank.embedding_model, "other_model": bank.other_embedding_model}
    access.record("bank.embedding_model", f"bank:{bank.bank_id}", detail)
    key = access.actor.api_key_prefix
    return submit(access.tenant_id, CHANGE_EMBEDDING_MODEL, payload=payload, bank=bank, api_key_prefix=key)


def check_alone(bank: Bank) -> None:
    """Call while the row of the bank is locked."""
    if find_operations(bank).filter(status__in=Operation.UNFINISHED).exists():
        raise EmbeddingChangeState("An operation of the change of the embedding model is not finished yet.")


def find_operations(bank: Bank) -> Any:
    return Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=CHANGE_EMBEDDING_MODEL)


def fill_both_columns(bank: Bank, since: UUID, *, older_rows: bool = False) -> Usage:
    """The last step of every writer of vectors: its new rows, whose ids follow `since`, get vectors in both columns.

    With `older_rows` also those whose text it changed, unless an operation is filling them. Call outside of
    transactions, after the write. `bank.vector_change` is that of the write, so a bank without a change costs nothing.
    The write stands if the embedder fails here: the switch makes every vector that is still lacking.
    """
    since = BEFORE_ALL if older_rows and bank.vector_change != VectorChange.FILLING else since
    if bank.vector_change in {"", VectorChange.CLEARING}:
        return Usage()
    usage = Usage()
    try:
        with tenant_transaction(bank.tenant_id):
            present = Bank.objects.for_tenant(bank.tenant_id).get(id=bank.id)
        for slot in SLOTS if present.vector_change else ():
            write = partial(tenant_transaction, bank.tenant_id)
            usage += fill_vectors(present, slot, get_embedder, write, since=since).usage
    except (ProviderError, EmbeddingModelChanged, Bank.DoesNotExist):
        log.warning("embedding_change.not_filled", bank_id=bank.bank_id, exc_info=True)
    return usage


def fill_after_edit(access: BankAccess, bank: Bank, memory_id: UUID) -> None:
    """Call outside of transactions, after an edit. A change that is filling comes to the row by itself."""
    if bank.vector_change == VectorChange.FILLING:
        return
    spent = fill_both_columns(bank, UUID(int=memory_id.int - 1))
    if spent.calls:
        key = access.actor.api_key_prefix
        with tenant_transaction(bank.tenant_id):
            record_usage(bank.tenant_id, UsageRecord.Kind.EDIT, spent, bank_id=bank.bank_id, api_key_prefix=key)
