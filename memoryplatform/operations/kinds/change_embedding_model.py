"""The change of a bank's embedding model: filling, comparing, switching, rolling back, and deleting what is not in use.

Each step commits by itself and finds nothing left to do when it is run again after a crash.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings

from banks.embedding_change import (
    MOST_ROUNDS,
    begin_clearing,
    check_state,
    clear_batch,
    compare_slots,
    fill_vectors,
    lock_change,
    set_change,
    switch_slots,
)
from banks.errors import EmbeddingModelChanged
from banks.models import Bank
from banks.models.bank import VectorChange
from banks.vector_index.index import (
    LARGEST_DIMENSION,
    VectorIndex,
    count_rows,
    create_index,
    drop_indexes,
    find_dimension,
)
from memoryplatform.operations.errors import NotYet, PermanentFailure
from memoryplatform.operations.running.kind_names import CHANGE_EMBEDDING_MODEL
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank
from providers.registry import get_embedder
from providers.usage import Usage
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction

A_WHILE = timedelta(seconds=5)


@operation_kind(CHANGE_EMBEDDING_MODEL, queue="background")
@ends_with_its_bank
def change_embedding_model(run: Run) -> dict[str, Any]:
    run.spend(UsageRecord.Kind.CONSOLIDATE, Usage())
    result = ACTS[run.payload["act"]](run)
    with run.transaction() as operation:
        run.complete(operation, result)
    return result


def fill_and_compare(run: Run) -> dict[str, Any]:
    """Ends in the state `ready`, or `switched` if the caller asked for that and the overlap suffices."""
    bank = load_bank(run)
    if bank.vector_change == VectorChange.FILLING:
        fill(run, bank, 1 - bank.vector_slot)
        build_index(run, bank, 1 - bank.vector_slot)
        with run.transaction():
            held = lock_change(bank)
            check_state(held, VectorChange.FILLING)
            set_change(held, VectorChange.READY)
        bank = load_bank(run)
    run.report("comparing", processed=0, total=1)
    with run.transaction():
        compared = compare_slots(bank)
    overlap, least = compared["overlap"], run.payload.get("least_overlap", 0.0)
    if bank.vector_change == VectorChange.READY and run.payload["switch"] == "auto":
        if overlap is not None and overlap < least:
            return compared | {"state": bank.vector_change, "held_back": "The overlap is below least_overlap."}
        return compared | switch(run)
    return compared | {"state": bank.vector_change}


def switch(run: Run) -> dict[str, Any]:
    return fill_and_switch(run, before=VectorChange.READY, after=VectorChange.SWITCHED)


def roll_back(run: Run) -> dict[str, Any]:
    return fill_and_switch(run, before=VectorChange.SWITCHED, after=VectorChange.READY)


def fill_and_switch(run: Run, *, before: VectorChange, after: VectorChange) -> dict[str, Any]:
    """A row that is written between the filling and the switch is the cause of another round."""
    for _ in range(MOST_ROUNDS):
        bank = load_bank(run)
        if bank.vector_change == before:
            fill(run, bank, 1 - bank.vector_slot)
            build_index(run, bank, 1 - bank.vector_slot)
        with run.transaction():
            is_done = switch_slots(bank, before=before, after=after)
        if is_done:
            bank = load_bank(run)
            return {"state": bank.vector_change, "model": bank.embedding_model}
    raise NotYet("The bank is being written to without a pause.", wait=A_WHILE)


def finish(run: Run) -> dict[str, Any]:
    return clear(run, VectorChange.SWITCHED)


def abandon(run: Run) -> dict[str, Any]:
    return clear(run, VectorChange.FILLING, VectorChange.READY)


def clear(run: Run, *before: VectorChange) -> dict[str, Any]:
    """Deletes the vectors that are not in use, with their index."""
    bank = load_bank(run)
    while not begin(run, bank, *before):
        fill(run, bank, bank.vector_slot)
        bank = load_bank(run)
    bank, cleared = load_bank(run), 0
    drop_indexes(bank.id, (1 - bank.vector_slot,))
    while True:
        with run.transaction():
            count = clear_batch(bank)
        if not count:
            return {"state": "none", "model": bank.embedding_model, "deleted_vectors": cleared}
        cleared += count
        run.report("deleting", processed=cleared, total=cleared)


def begin(run: Run, bank: Bank, *before: VectorChange) -> bool:
    with run.transaction():
        return begin_clearing(bank, *before)


ACTS: dict[str, Callable[[Run], dict[str, Any]]] = {
    "fill": fill_and_compare,
    "switch": switch,
    "rollback": roll_back,
    "finish": finish,
    "abandon": abandon,
}


def fill(run: Run, bank: Bank, slot: int) -> None:
    def step(stage: str, done: int, total: int) -> None:
        run.report(stage, processed=done, total=total)

    try:
        with run.metered(UsageRecord.Kind.CONSOLIDATE):
            filled = fill_vectors(bank, slot, get_embedder, run.transaction, step=step)
    except EmbeddingModelChanged:
        raise PermanentFailure("The change was given up.", code="embedding_change_state") from None
    run.spend(UsageRecord.Kind.CONSOLIDATE, filled.usage)


def build_index(run: Run, bank: Bank, slot: int) -> None:
    """A large bank has its indexes before it switches, so that no recall is slow."""
    least = settings.VECTOR_INDEX_UNITS
    with tenant_transaction(run.tenant_id):
        large = [corpus for corpus, size in count_rows(bank, at_most=least).items() if size >= least]
        dimensions = {corpus: find_dimension(bank, slot, corpus) for corpus in large}
    for done, (corpus, dimension) in enumerate(dimensions.items()):
        if dimension and dimension <= LARGEST_DIMENSION:
            run.report("indexing", processed=done, total=len(large))
            create_index(VectorIndex(bank.id, slot, corpus), dimension)
