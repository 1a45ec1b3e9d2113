"""A document that another connection deletes or replaces during its own retain."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connections

from banks.enums import Network
from banks.models import Chunk, Document, Entity, MemoryUnit, Mention, PostingBlock, UnitSource, UnitTag
from banks.retain import documents
from banks.retain.document_chunks import cut_document, update_document
from banks.retain.document_versions import DocumentVersion
from banks.retain.engine import Extraction
from banks.retain.input import RetainItem
from banks.types import ExtractedFact, FoundEntity
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.documents import delete_document
from memoryplatform.operations.kinds import retain as retain_kind
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import cancel, retry
from rules.engine import BuiltinEngine
from tenants.audit import SYSTEM
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.operations.conftest import reload

SAID_AT = datetime(2024, 5, 8, tzinfo=UTC)
PATIENCE = 30.0


def write_letter(name: str, *, chunks: int = 3) -> str:
    """Each paragraph is one chunk, in which the engine finds two facts."""
    return "\n\n".join(
        f"{name} lives in Porto. " + " ".join(f"{name} saw bird {bird}." for bird in range(50 * chunk, 50 * chunk + 50))
        for chunk in range(chunks)
    )


@dataclass
class HaltingEngine(BuiltinEngine):
    """Stops in the second passage until the test releases it."""

    seen: int = 0
    is_there: threading.Event = field(default_factory=threading.Event)
    may_go_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__()

    def extract(self, *args: Any, **options: Any) -> Extraction:
        self.seen += 1
        if self.seen == 2:
            self.is_there.set()
            assert self.may_go_on.wait(PATIENCE)
        return super().extract(*args, **options)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> HaltingEngine:
    halting = HaltingEngine()
    monkeypatch.setattr(retain_kind, "choose_engine", lambda _tenant_id: halting)
    return halting


def bring(tenant: Tenant, text: str, **fields: Any) -> Operation:
    item = RetainItem(SAID_AT, text=text, document_id="letter", **fields)
    try:
        return retain(BankAccess(tenant.id), "support", [item], wait=True)
    finally:
        connections.close_all()


@contextmanager
def halted(tenant: Tenant, engine: HaltingEngine, text: str) -> Iterator["Future[Operation]"]:
    """Inside the block, one chunk is stored and the second is being read. Afterwards the retain runs to its end."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(bring, tenant, text)
        assert engine.is_there.wait(PATIENCE)
        try:
            yield running
        finally:
            engine.may_go_on.set()


def count_all(tenant: Tenant) -> dict[str, int]:
    with tenant_transaction(tenant.id):
        models = (Document, Chunk, MemoryUnit, UnitSource, Mention, Entity)
        rows = {model.__name__: model.objects.for_tenant(tenant.id).count() for model in models}
        return rows | {"postings": PostingBlock.objects.for_tenant(tenant.id).filter(live__gt=0).count()}


def test_a_document_that_is_deleted_meanwhile_ends_its_retain_and_leaves_nothing(
    tenant: Tenant, engine: HaltingEngine
) -> None:
    with halted(tenant, engine, write_letter("Ana")) as running:
        removed = delete_document(BankAccess(tenant.id), "support", "letter")
    operation = reload(running.result())
    assert removed.units == 2
    assert (operation.status, operation.attempts, operation.error_code) == ("completed", 1, "")
    result = operation.result or {}
    assert result["unit_ids"] == []
    assert result["notes"] == ["The document was deleted meanwhile: nothing of it is kept."]
    assert engine.seen == 2
    assert set(count_all(tenant).values()) == {0}


def test_a_document_that_is_replaced_meanwhile_yields_to_the_newer_version(
    tenant: Tenant, engine: HaltingEngine
) -> None:
    with halted(tenant, engine, write_letter("Ana")) as running:
        newer = bring(tenant, write_letter("Ben", chunks=2))
    former = reload(running.result())
    assert (former.status, newer.status, former.attempts, newer.attempts) == ("completed", "completed", 1, 1)
    assert len((former.result or {})["notes"]) == 1
    assert (newer.result or {})["notes"] == []
    assert engine.seen == 4  # two passages of the former text, one of them discarded, and two of the new text
    with tenant_transaction(tenant.id):
        texts = list(MemoryUnit.objects.for_tenant(tenant.id).values_list("text", flat=True))
        assert not Chunk.objects.for_tenant(tenant.id).filter(extracted_at=None).exists()
    assert any("Ben" in text for text in texts)
    assert not any("Ana" in text for text in texts)


def test_text_that_is_appended_meanwhile_is_read_by_its_own_call(tenant: Tenant, engine: HaltingEngine) -> None:
    with halted(tenant, engine, write_letter("Ana", chunks=2)) as running:
        appended = bring(tenant, "Ben lives in Lisbon.", update_mode="append", tags=("news",))
    former = reload(running.result())
    assert (former.status, appended.status) == ("completed", "completed")
    assert len((appended.result or {})["unit_ids"]) == 1
    assert (former.result or {})["notes"] == []
    assert len((former.result or {})["unit_ids"]) == 4


@pytest.mark.parametrize("name", ["cut_document", "list_pieces"])  # the text is cut; its turns are found
def test_a_text_that_is_appended_to_while_it_is_cut_is_cut_again(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The other call has written its chunk and has not read it yet."""
    known = getattr(documents, name)
    appended: list[Operation] = []

    def append_first(*args: Any) -> Any:
        if not appended:
            item = RetainItem(SAID_AT, text="Ben lives in Lisbon.", document_id="letter", update_mode="append")
            item = replace(item, tags=("news",))
            appended.append(retain(BankAccess(tenant.id), "support", [item], wait=False))
            with tenant_transaction(tenant.id):
                document = Document.objects.for_tenant(tenant.id).select_related("bank").get()
                cut = cut_document(document.bank, document)
                update_document(DocumentVersion(document.bank, document.id, document.version), cut)
        return known(*args)

    monkeypatch.setattr(documents, name, append_first)
    with ThreadPoolExecutor(1) as pool:
        former = pool.submit(bring, tenant, write_letter("Ana", chunks=2)).result()
    assert former.status == "completed"
    perform(tenant.id, appended[0].id)
    with tenant_transaction(tenant.id):
        document = Document.objects.for_tenant(tenant.id).get()
        chunks = list(Chunk.objects.for_tenant(tenant.id).order_by("position"))
        assert [document.text[one.start : one.end] for one in chunks] == [one.text for one in chunks]
        assert chunks[-1].text == "Ben lives in Lisbon."
        assert all(one.extracted_at for one in chunks)
        tags = dict(UnitTag.objects.for_tenant(tenant.id).values_list("unit__text", "tag"))
    assert tags == {"Ben lives in Lisbon.": "news"}


def test_facts_of_a_document_that_is_deleted_before_they_are_stored_are_not_stored(tenant: Tenant) -> None:
    fact = ExtractedFact("Ana moved to Porto.", Network.WORLD, SAID_AT, entities=(FoundEntity("Ana"),))
    item = RetainItem(SAID_AT, facts=(fact,), document_id="letter", context="a letter from Porto")
    operation = retain(BankAccess(tenant.id), "support", [item], wait=False)
    delete_document(BankAccess(tenant.id), "support", "letter")
    perform(tenant.id, operation.id)
    done = reload(operation)
    assert (done.status, (done.result or {})["unit_ids"], len((done.result or {})["notes"])) == ("completed", [], 1)
    assert "Porto" not in str(done.payload)
    assert set(count_all(tenant).values()) == {0}


def test_a_cancelled_retain_keeps_nothing_of_a_document_that_is_deleted(tenant: Tenant) -> None:
    fact = ExtractedFact("Ana moved to Porto.", Network.WORLD, SAID_AT)
    gone = RetainItem(SAID_AT, facts=(fact,), document_id="letter", context="a letter from Porto")
    kept = RetainItem(SAID_AT, text="Ben paints.", document_id="note", context="a note on Ben")
    operation = retain(BankAccess(tenant.id), "support", [gone, kept], wait=False)
    cancel(tenant.id, operation.id, actor=SYSTEM)
    delete_document(BankAccess(tenant.id), "support", "letter")
    assert "Porto" not in str(reload(operation).payload)
    assert "a note on Ben" in str(reload(operation).payload)
    retry(tenant.id, operation.id, actor=SYSTEM)
    perform(tenant.id, operation.id)
    done = reload(operation)
    assert (done.status, len((done.result or {})["notes"])) == ("completed", 1)
    assert len((done.result or {})["unit_ids"]) == 1
