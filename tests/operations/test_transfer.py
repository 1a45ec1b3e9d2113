"""An exported and imported bank has the same content, history and answers."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.db import connection
from django.utils import timezone

from banks.models import Document, Entity, Link, MemoryUnit, Message, Relationship
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.transfer.errors import BankNotEmpty, ImportInvalid, ImportOutOfStep, ImportUnderWay
from memoryplatform.operations.transfer.export import write_lines
from memoryplatform.operations.transfer.receive import Received, import_part
from memoryplatform.operations.transfer.tables import SELF_REFERENCES, TABLES_BY_NAME
from providers.registry import get_embedder
from reflection.models import OpinionRevision
from reflection.opinions.history import replay
from retrieval.types import PointInTime
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_row, make_unit
from tests.operations.conftest import reload
from tests.operations.transferred import (
    MARCH,
    ask,
    fill,
    load,
    run_waiting,
    say,
    small_file,
    unit,
    without_ids,
    write_out,
)
from tests.tenants.walled_models import walled_models

NOT_IN_A_FILE = {
    "banks_answerpurge",
    "banks_bankalias",
    "banks_cachedanswer",
    "banks_corpusstatistics",
    "banks_postingblock",
    "banks_quarantineditem",
    "retrieval_recallrecord",
}


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    return BankAccess(tenant.id)


@pytest.fixture
def elsewhere(tenant: Tenant) -> BankAccess:
    return BankAccess(make_tenant("elsewhere").id)


@pytest.mark.parametrize("vectors", [False, True], ids=["embedded anew", "with vectors"])
def test_an_imported_bank_is_the_same(access: BankAccess, elsewhere: BankAccess, *, vectors: bool) -> None:
    fill(access)
    body = write_out(access, vectors=vectors)
    import_part(elsewhere, "copy", body, first_line=1)
    run_waiting(elsewhere)
    here, there = without_ids(write_out(access)), without_ids(write_out(elsewhere, "copy"))
    assert (here - there, there - here) == (Counter(), Counter())
    assert ids_of(access, "source").isdisjoint(ids_of(elsewhere, "copy"))
    known_then = load(access, "source").created_at + timedelta(seconds=1)
    for moment in (PointInTime(), PointInTime(as_of=MARCH + timedelta(days=30)), PointInTime(known_at=known_then)):
        answers = ask(elsewhere, "copy", moment)
        assert answers == ask(access, "source", moment)
        assert moment.known_at or any(answers)
    assert [replayed(access, "source")] == [replayed(elsewhere, "copy")]


def test_an_old_file_without_evidence_of_revisions_gets_it(access: BankAccess, elsewhere: BankAccess) -> None:
    fill(access)
    lines = [orjson.loads(line) for line in write_out(access).splitlines()]
    older = [line for line in lines if line["type"] != "revision_evidence"]
    assert older[-1]["rows"].pop("revision_evidence") == 1
    import_part(elsewhere, "copy", b"\n".join(map(orjson.dumps, older)), first_line=1)
    run_waiting(elsewhere)
    assert without_ids(write_out(elsewhere, "copy")) == without_ids(write_out(access))


def ids_of(access: BankAccess, bank_id: str) -> set[UUID]:
    bank = load(access, bank_id)
    with tenant_transaction(access.tenant_id):
        models = (MemoryUnit, Entity, Relationship, Message)
        return {
            one
            for model in models
            for one in model.objects.for_tenant(access.tenant_id).filter(bank=bank).values_list("id", flat=True)
        }


def replayed(access: BankAccess, bank_id: str) -> Any:
    bank = load(access, bank_id)
    with tenant_transaction(access.tenant_id):
        opinion = MemoryUnit.objects.of_bank(bank).get(network="opinion", text__contains="happy")
        steps = list(OpinionRevision.objects.of_bank(bank).filter(opinion=opinion).order_by("number"))
        state = replay(steps)
        assert steps[1].evidence is not None
        assert round(state.confidence, 3) == round(opinion.confidence or 0, 3)
        return state, steps[1].evidence.text


def test_every_table_of_a_bank_is_in_a_file_or_left_out_on_purpose() -> None:
    of_a_bank = {
        model._meta.db_table
        for model in walled_models()
        if model._meta.app_label in {"banks", "reflection", "retrieval"} and not model._meta.proxy
    }
    assert of_a_bank - {"banks_bank"} == {table.db_table for table in TABLES_BY_NAME.values()} | NOT_IN_A_FILE


def test_every_type_of_line_is_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "export.md").read_text()
    assert [name for name in (*TABLES_BY_NAME, *SELF_REFERENCES) if f"`{name}`" not in page] == []


def test_an_export_is_a_snapshot(access: BankAccess, tenant: Tenant) -> None:
    bank = make_bank(tenant, bank_id="source")
    make_unit(tenant, bank=bank, text="before")
    pieces = write_lines(bank, vectors=False)
    first = next(pieces)
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(change_all, tenant).result()
    rest = b"".join(pieces)
    assert b"header" in first
    assert b"before" in rest
    assert b'after"' not in rest.replace(b'"after":', b"")


def test_rows_are_read_by_a_cursor_of_the_server(tenant: Tenant) -> None:
    """Reading all rows at once would take as much memory as the bank is large."""
    bank = make_bank(tenant, bank_id="source")
    make_unit(tenant, bank=bank)
    lines = write_lines(bank, vectors=False)
    while b'"type":"unit"' not in next(lines):
        pass
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors")
        assert cursor.fetchone() == (1,)
    assert b'"type":"end"' in list(lines)[-1]


def change_all(tenant: Tenant) -> None:
    with tenant_transaction(tenant.id):
        MemoryUnit.objects.for_tenant(tenant.id).update(text="after")
    connection.close()


def test_a_large_file_comes_in_parts_and_a_part_that_comes_twice_counts_once(
    tenant: Tenant, access: BankAccess
) -> None:
    lines = small_file(tenant, access)
    half = len(lines) // 2
    received = import_part(access, "copy", b"".join(lines[:half]), first_line=1)
    assert received.next_line == half + 1
    again = import_part(access, "copy", b"".join(lines[: half + 1]), first_line=1)
    assert again.next_line == half + 2
    with pytest.raises(ImportOutOfStep, match=f"next line is {half + 2}"):
        import_part(access, "copy", b"".join(lines[half + 3 :]), first_line=half + 4)
    done = import_part(access, "copy", b"".join(lines[half + 1 :]), first_line=half + 2)
    assert (done.next_line, done.operation.id) == (None, received.operation.id)
    run_waiting(access)
    assert without_ids(write_out(access)) == without_ids(write_out(access, "copy"))


def test_an_unfinished_import_is_abandoned_after_a_day_and_can_continue(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    half = len(lines) // 2
    begun = import_part(access, "copy", b"".join(lines[:half]), first_line=1).operation
    due_in = Dispatch.objects.get(operation_id=begun.id).due_at - timezone.now()
    assert timedelta(hours=23) < due_in < timedelta(hours=25)
    perform(tenant.id, begun.id)
    assert (reload(begun).status, reload(begun).error_code, reload(begun).attempts) == ("pending", "not_yet", 0)
    forget_since(begun, timedelta(hours=25))
    perform(tenant.id, begun.id)
    ended = reload(begun)
    assert (ended.status, ended.error_code) == ("failed", "import_abandoned")
    assert ended.error_detail == f"The file ended before line {half + 1}: send it again, or delete the bank."
    assert not Dispatch.objects.filter(operation_id=begun.id).exists()
    again = import_part(access, "copy", lines[0], first_line=1)
    assert (again.operation.id, again.next_line, reload(begun).status) == (begun.id, half + 1, "pending")
    assert import_part(access, "copy", b"".join(lines[half:]), first_line=half + 1).next_line is None
    run_waiting(access)
    assert (reload(begun).status, reload(begun).error_code) == ("completed", "")
    assert without_ids(write_out(access)) == without_ids(write_out(access, "copy"))


def forget_since(operation: Operation, age: timedelta) -> None:
    """Pretend that the last part arrived that long ago."""
    row = reload(operation)
    row.payload["heard_at"] = (timezone.now() - age).isoformat()
    row.next_attempt_at = None
    with tenant_transaction(row.tenant_id):
        row.save()


def test_a_bank_that_holds_something_takes_no_file(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    with pytest.raises(BankNotEmpty):
        import_part(access, "source", b"".join(lines), first_line=1)


def test_another_file_into_the_same_bank_is_refused_until_that_is_empty_again(
    tenant: Tenant, access: BankAccess
) -> None:
    lines = small_file(tenant, access)
    import_part(access, "copy", b"".join(lines), first_line=1)
    again = import_part(access, "copy", b"".join(lines), first_line=1)
    assert again.next_line is None
    other = b"".join(write_out(access).splitlines(keepends=True))
    with pytest.raises(BankNotEmpty):
        import_part(access, "copy", other, first_line=1)
    bank = load(access, "copy")
    with tenant_transaction(tenant.id):
        MemoryUnit.objects.of_bank(bank).delete()
        Document.objects.for_tenant(tenant.id).filter(bank=bank).delete()
    assert import_part(access, "copy", other, first_line=1).next_line is None


def test_the_same_file_is_imported_again_after_everything_was_deleted(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    first = import_part(access, "copy", b"".join(lines), first_line=1).operation
    run_waiting(access)
    bank = load(access, "copy")
    assert import_part(access, "copy", lines[0], first_line=1).next_line is None
    with tenant_transaction(tenant.id):
        MemoryUnit.objects.of_bank(bank).delete()
        Document.objects.for_tenant(tenant.id).filter(bank=bank).delete()
    assert import_part(access, "copy", lines[0], first_line=1).next_line == 2
    second = import_part(access, "copy", b"".join(lines[1:]), first_line=2).operation
    run_waiting(access)
    assert second.id != first.id
    assert without_ids(write_out(access)) == without_ids(write_out(access, "copy"))


def test_a_file_whose_memories_were_deleted_is_not_reported_as_imported(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    import_part(access, "copy", b"".join(lines), first_line=1)
    run_waiting(access)
    with tenant_transaction(tenant.id):
        MemoryUnit.objects.of_bank(load(access, "copy")).delete()
    with pytest.raises(BankNotEmpty):
        import_part(access, "copy", lines[0], first_line=1)


def test_a_second_file_waits_until_the_first_is_complete(tenant: Tenant, access: BankAccess) -> None:
    """Otherwise its lines would be mixed with those of the first file."""
    lines = small_file(tenant, access)
    other = write_out(access).splitlines(keepends=True)
    import_part(access, "copy", lines[0], first_line=1)
    with pytest.raises(ImportUnderWay, match="continues with line 2"):
        import_part(access, "copy", other[0], first_line=1)
    assert import_part(access, "copy", b"".join(lines[1:]), first_line=2).next_line is None


def take(access: BankAccess, *rows: dict[str, Any], header: dict[str, Any] | None = None) -> Received:
    usual = {"type": "header", "format": "memoryplatform-bank", "version": 1}
    body = b"\n".join(orjson.dumps(row) for row in ((header or usual), *rows))
    return import_part(access, "copy", body, first_line=1)


FAULTS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no type of ours": ([{"type": "tenant", "id": "x"}], "Line 2: There is no such type"),
    "an unknown field": ([unit(tenant_id=str(UUID(int=7)))], "Line 2: A unit has no field 'tenant_id'"),
    "a missing field": ([unit(), unit(2, text=...)], "Line 3: The field 'text' must not be null"),
    "a wrong type": ([unit(proof_count="many")], "Line 2: The field 'proof_count' must be an integer"),
    "a boolean for a number": ([unit(importance=True)], "Line 2: The field 'importance' must be a number"),
    "a number too large": ([unit(proof_count=2**40)], "Line 2: The field 'proof_count' must be an integer"),
    "a null character": ([unit(text="a\x00b")], "Line 2: The field 'text' must be a text without null"),
    "a null character inside": ([unit(dimensions={"what": "\x00"})], "Line 2: The field 'dimensions' must hold no"),
    "a text too long": ([unit(network="w" * 50)], "Line 2: The field 'network' must have at most 12"),
    "a memory too long": ([unit(text="t" * 100_001)], "Line 2: The field 'text' must have at most 100000"),
    "a background too long": (
        [{"type": "bank", "background": "b" * 100_001}],
        "Line 2: The bank has a 'background' that must have at most 100000 characters",
    ),
    "no choice": ([unit(network="dream")], "Line 2: The field 'network' is not one of its choices"),
    "no zone": ([unit(mentioned_at="2025-01-01")], "Line 2: The field 'mentioned_at' must be a time with its zone"),
    "a zone before all times": (
        [unit(mentioned_at="0001-01-01T00:00:00+16:00")],
        "Line 2: The field 'mentioned_at' must be a time between the years 1 and 9999",
    ),
    "bytes that are none": ([unit(content_hash="zz")], "Line 2: The field 'content_hash' must be bytes"),
    "a contradiction": ([unit(confidence=0.5)], r"Line 2: It contradicts itself \(unit_confidence_on_opinions\)"),
    "the same id twice": ([unit(), unit(2), unit(text="other", content_hash="ff")], "Line 4: It exists already"),
    "a reference to nothing": (
        [unit(), {"type": "unit_tag", "id": str(UUID(int=3)), "unit_id": str(UUID(int=9)), "tag": "t"}],
        "Line 3: It points at a row that does not come before it",
    ),
    "its own successor": (
        [unit(), {"type": "unit_superseded_by", "id": str(UUID(int=1)), "superseded_by_id": str(UUID(int=1))}],
        r"Line 3: It contradicts itself \(unit_not_its_own_successor\)",
    ),
    "nesting": ([unit(dimensions=orjson.loads("[" * 60 + "]" * 60))], "Line 2: The field 'dimensions' is nested"),
    "a second header": ([{"type": "header"}], "Line 2: A file must begin with one header"),
    "lost rows": ([unit(), {"type": "end", "rows": {"unit": 2}}], "Line 3: The number of rows"),
    "a profile out of range": ([{"type": "bank", "empathy": 9}], r"Line 2: It contradicts itself \(bank_disposition"),
    "an export that broke off": (
        [unit(), {"type": "error", "code": "export_too_slow", "detail": "Too slow."}],
        "Line 3: The export broke off here",
    ),
    "an end before the end": ([{"type": "end", "rows": {}}, unit()], "Line 3: Nothing may follow the end"),
    "a second end": ([{"type": "end", "rows": {}}, {"type": "end"}], "Line 3: Nothing may follow the end"),
    "an unknown field at the end": ([{"type": "end", "rows": {}, "x": 1}], "Line 2: A line of the type end has no"),
    "an unknown field in the first of two profiles": (
        [{"type": "bank", "x": 1}, {"type": "bank"}],
        "Line 2: The bank has the unknown field 'x'",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_line_is_named(access: BankAccess, name: str) -> None:
    rows, fault = FAULTS[name]
    with pytest.raises(ImportInvalid, match=fault):
        take(access, *rows)


HEADER = b'{"type":"header","format":"memoryplatform-bank","version":2'
NESTED = HEADER + b',"bank_id":' + b"[" * 990 + b"]" * 990 + b"}"
NO_FILES = [b"", b"\n", b"[]", b"{", b'{"type": 3}', b"\xff", b'{"type":"header","version":3}', NESTED]


@pytest.mark.parametrize("body", [*NO_FILES, HEADER + b',"x":1}', HEADER + b',"version":2}'])
def test_a_malformed_file_is_refused(access: BankAccess, body: bytes) -> None:
    with pytest.raises(ImportInvalid, match="Line 1: "):
        import_part(access, "copy", body, first_line=1)


def test_units_that_supersede_each_other_in_a_circle_are_harmless(access: BankAccess) -> None:
    pairs = [(1, 2), (2, 1)]
    joints = [
        {"type": "unit_superseded_by", "id": str(UUID(int=one)), "superseded_by_id": str(UUID(int=two))}
        for one, two in pairs
    ]
    rows = {"unit": 2, "unit_superseded_by": 2}
    assert take(access, unit(1), unit(2), *joints, {"type": "end", "rows": rows}).next_line is None


def test_an_id_of_another_bank_means_nothing(tenant: Tenant, access: BankAccess) -> None:
    """The other bank is of the same tenant, so the foreign keys alone would accept the id."""
    other = make_unit(tenant, bank=make_bank(tenant, bank_id="other"))
    tag = {"type": "unit_tag", "id": str(UUID(int=3)), "unit_id": str(other.id), "tag": "t"}
    with pytest.raises(ImportInvalid, match="Line 2: It points at a row"):
        take(access, tag)


def test_a_file_of_the_first_version_is_still_read(access: BankAccess) -> None:
    """In the first version, a link's row has its link type in place of the word `link`."""
    link = {"type": "causes", "id": str(UUID(int=9)), "weight": 0.5}
    link |= {"source_id": str(UUID(int=1)), "target_id": str(UUID(int=2))}
    take(access, unit(1), unit(2), link, {"type": "end", "rows": {"unit": 2, "link": 1}})
    with tenant_transaction(access.tenant_id):
        (row,) = Link.objects.for_tenant(access.tenant_id)
    assert (row.type, row.weight) == ("causes", 0.5)


def test_a_column_that_only_older_files_have_is_passed_over(tenant: Tenant, access: BankAccess) -> None:
    retain(access, "source", [say("I play the cello.", MARCH)], wait=True)
    file = write_out(access)
    lines = [
        line.replace(b'"role":"user"', b'"role":"user","document_id":null') if b'"type":"message"' in line else line
        for line in file.split(b"\n")
    ]
    older = b"\n".join(lines)
    assert older != file
    import_part(access, "copy", older, first_line=1)
    assert without_ids(write_out(access)) == without_ids(write_out(access, "copy"))


def test_a_type_that_only_older_files_have_is_skipped(access: BankAccess) -> None:
    learned = {"type": "channel_weights", "id": str(UUID(int=9)), "weights": {"keyword": 1.1}, "marks": 3}
    assert take(access, learned, {"type": "end", "rows": {"channel_weights": 1}}).next_line is None


def test_vectors_of_another_model_are_computed_again(access: BankAccess, monkeypatch: pytest.MonkeyPatch) -> None:
    header = {"type": "header", "format": "memoryplatform-bank", "version": 1, "vectors": True}
    take(access, unit(embedding=[0.5, 0.5]), {"type": "end", "rows": {"unit": 1}}, header=header)
    run_waiting(access)
    bank = load(access, "copy")
    with tenant_transaction(access.tenant_id):
        (row,) = MemoryUnit.objects.of_bank(bank)
    assert len(row.embedding) == get_embedder().dimension
    assert row.number is not None


def test_ids_keep_their_order(tenant: Tenant, access: BankAccess) -> None:
    bank = make_bank(tenant, bank_id="source")
    for number in range(20):
        make_row(Message, tenant, bank=bank, role="user", speaker="A", content=str(number), said_at=MARCH)
    import_part(access, "copy", write_out(access), first_line=1)
    copy = load(access, "copy")
    with tenant_transaction(tenant.id):
        rows = Message.objects.for_tenant(tenant.id).filter(bank=copy).order_by("id")
        assert [row.content for row in rows] == [str(number) for number in range(20)]
