"""A bank with a history, exported and imported, and its answers before and after."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson

from banks.locking import lock_memory
from banks.models import Bank, Corpus, MemoryUnit
from banks.retain.input import GivenMessage, RetainItem
from banks.text_index.write import add_texts
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, change_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.recall import recall
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.transfer.export import export_bank
from providers.registry import get_embedder
from reflection.models import OpinionRevision
from reflection.opinions.revisions import Before, Step, write_formed, write_step
from retrieval.types import Budget, PointInTime, RecallQuery
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.memory_factories import make_document, make_unit

MARCH = datetime(2025, 3, 3, 9, tzinfo=UTC)
JUNE = datetime(2025, 6, 2, 9, tzinfo=UTC)
ASKED_AT = datetime(2025, 7, 1, tzinfo=UTC)
QUESTIONS = ("Where does Ana work?", "What happened in March 2025?", "Which city is near?")


def say(text: str, at: datetime) -> RetainItem:
    return RetainItem(at, messages=(GivenMessage("user", text, at, name="Ana Reis"),), thread="t", tags=("talk",))


def fill(access: BankAccess) -> None:
    """Fill the bank by retain itself, so that no kind of row is missing. One opinion has a history."""
    retain(
        access, "source", [say("I work at Acme.", MARCH), say("I play the cello in Porto and Braga.", MARCH)], wait=True
    )
    retain(access, "source", [say("I now work at Globex.", JUNE)], wait=True)
    retain(access, "source", [RetainItem(MARCH, text="Porto is near Braga.", document_id="map/1")], wait=True)
    with tenant_transaction(access.tenant_id):
        bank = Bank.objects.for_tenant(access.tenant_id).get(bank_id="source")
        fact = MemoryUnit.objects.of_bank(bank).order_by("id")[0]
    text = "I think that Ana is happy in Braga."
    held = {"text": text, "confidence": 0.6, "embedding": get_embedder().embed_documents([text]).vectors[0]}
    opinion = make_unit(Tenant(id=access.tenant_id), bank=bank, network="opinion", **held)
    with tenant_transaction(access.tenant_id):
        lock_memory(bank)
        add_texts(bank, Corpus.UNIT, [opinion.id])
        write_formed(bank, [opinion])
        before, opinion.confidence = Before.of(opinion), 0.75
        step = Step(OpinionRevision.Cause.REINFORCE, "test", step=0.15, evidence=(fact.id,))
        write_step(bank, opinion, before, step)
        opinion.save(update_fields=["confidence"])
    run_waiting(access)
    change_bank(access, "source", BankChange(background="I am Nora.", skepticism=5))


def run_waiting(access: BankAccess) -> None:
    for kind in ("consolidate", "import_bank"):
        with tenant_transaction(access.tenant_id):
            rows = Operation.objects.for_tenant(access.tenant_id).filter(kind=kind, status="pending")
            ids = list(rows.order_by("id").values_list("id", flat=True))
        for operation_id in ids:
            perform(access.tenant_id, operation_id)


def write_out(access: BankAccess, bank_id: str = "source", *, vectors: bool = False) -> bytes:
    export = export_bank(access, bank_id, vectors=vectors)
    body = b"".join(export.chunks)
    export.slot.leave()
    return body


def ask(access: BankAccess, bank_id: str, moment: PointInTime) -> list[list[tuple[str, float]]]:
    answers = []
    for question in QUESTIONS:
        query = RecallQuery(question, ASKED_AT, moment=moment, budget=Budget(300, 16, None), rerank=False)
        items = recall(access, [bank_id], query).result.items
        answers.append([(item.text, round(item.scores.final, 3)) for item in items])
    return answers


def load(access: BankAccess, bank_id: str) -> Bank:
    with tenant_transaction(access.tenant_id):
        return Bank.objects.for_tenant(access.tenant_id).get(bank_id=bank_id)


def without_ids(body: bytes) -> Counter[bytes]:
    """The rows without their ids."""
    kept = [line for line in map(orjson.loads, body.splitlines()) if line["type"] not in {"header", "end"}]
    for line in kept:
        line["row"] = {name: value for name, value in line["row"].items() if name != "id" and not name.endswith("_id")}
        if line["type"] == "unit_change":
            line["row"]["after"].pop("superseded_by", None)
    return Counter(orjson.dumps(line) for line in kept)


def small_file(tenant: Tenant, access: BankAccess) -> list[bytes]:
    bank = make_bank(tenant, bank_id="source")
    first, second = (make_unit(tenant, bank=bank, text=text) for text in ("It rained.", "The sun shone."))
    with tenant_transaction(tenant.id):
        MemoryUnit.objects.for_tenant(tenant.id).filter(id=first.id).update(superseded_by=second)
    make_document(tenant, bank=bank)
    return write_out(access).splitlines(keepends=True)


def unit(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A row in the format of a file. A field that is set to `...` is left out."""
    at = "2025-01-01T00:00:00+00:00"
    usual = {
        "type": "unit",
        "id": str(UUID(int=number)),
        "network": "world",
        "kind": "event",
        "text": f"It rained {number} times.",
        "content_hash": f"{number:032x}",
        "dimensions": {},
        "context": "",
        "mentioned_at": at,
        "recorded_at": at,
        "updated_at": at,
        "importance": 0.5,
        "access_count": 0,
        "proof_count": 1,
        "review": "",
        "close_reason": "",
    }
    return {name: value for name, value in (usual | fields).items() if value is not ...}
