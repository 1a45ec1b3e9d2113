"""A refused import leaves no rows behind."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.db import OperationalError

from banks.errors import BankIdInvalid, BankNotFound
from banks.models import Bank, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, change_bank
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import retry
from memoryplatform.operations.transfer import receive
from memoryplatform.operations.transfer.errors import ImportInvalid
from memoryplatform.operations.transfer.receive import import_part
from memoryplatform.operations.transfer.tables import count_rows
from reflection.models import Directive
from tenants.audit import SYSTEM
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank
from tests.memory_factories import make_row, make_unit
from tests.operations.conftest import reload
from tests.operations.transferred import load, run_waiting, small_file, unit, without_ids, write_out

# The faulty line, and the number of earlier lines that were sent as separate parts.
BROKEN = {
    "no JSON": (b'{"type":"unit"', 0),
    "no type of ours": (b'{"type":"tenant"}', 1),
    "no row": (b'{"type":"unit","id":"x"}', 3),
    "a reference to nothing": (
        orjson.dumps({"type": "unit_tag", "row": {"id": str(UUID(int=3)), "unit_id": str(UUID(int=9)), "tag": "t"}}),
        3,
    ),
    "a profile out of range": (b'{"type":"bank","row":{"name":"x","skepticism":0}}', 0),
    "an export that broke off": (b'{"type":"error","code":"export_too_slow"}', 1),
}


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    return BankAccess(tenant.id)


def names_of_banks(access: BankAccess) -> set[str]:
    with tenant_transaction(access.tenant_id):
        return set(Bank.objects.for_tenant(access.tenant_id).live().values_list("bank_id", flat=True))


def send(access: BankAccess, lines: Sequence[bytes], first_line: int = 1) -> Operation:
    return import_part(access, "copy", b"".join(lines), first_line=first_line).operation


def refuse(access: BankAccess, lines: Sequence[bytes], first_line: int = 1) -> str:
    with pytest.raises(ImportInvalid) as refused:
        send(access, lines, first_line)
    return str(refused.value)


@pytest.mark.parametrize("name", BROKEN)
def test_a_bank_that_was_made_for_it_is_gone(tenant: Tenant, access: BankAccess, name: str) -> None:
    line, sent_before = BROKEN[name]
    lines = small_file(tenant, access)
    for number in range(sent_before):
        send(access, lines[number : number + 1], number + 1)
    told = refuse(access, [*lines[sent_before:-1], line], sent_before + 1)
    assert told.startswith(f"Line {len(lines)}: ")
    assert names_of_banks(access) == {"source"}
    with tenant_transaction(tenant.id):
        actions = AuditEvent.objects.for_tenant(tenant.id).filter(target="bank:copy").values_list("action", flat=True)
        assert sorted(actions) == (["bank.created", "bank.deleted", "bank.imported"] if sent_before else [])
    send(access, lines)
    run_waiting(access)
    assert without_ids(write_out(access)) == without_ids(write_out(access, "copy"))


@pytest.mark.parametrize("bank_id", [".", "..", "two\nlines", "x" * 201, " spaces "])
def test_a_bank_gets_no_id_that_other_routes_would_refuse(tenant: Tenant, access: BankAccess, bank_id: str) -> None:
    file = b"".join(small_file(tenant, access))
    with pytest.raises(BankIdInvalid):
        import_part(access, bank_id, file, first_line=1)
    assert names_of_banks(access) == {"source"}


@pytest.mark.parametrize("name", ["bank_id", "embedding_model", "exported_at"])
def test_a_null_character_in_the_header_is_refused(tenant: Tenant, access: BankAccess, name: str) -> None:
    header, *rest = small_file(tenant, access)
    broken = orjson.dumps(orjson.loads(header) | {name: "a\x00b"}) + b"\n"
    assert refuse(access, [broken, *rest]) == f"Line 1: The field '{name}' must be a text without null characters."


def test_its_operation_says_why_and_can_do_no_more(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    begun = send(access, lines[:3])
    told = refuse(access, [b"nonsense"], 4)
    ended = reload(begun)
    assert (ended.status, ended.error_code, ended.error_detail) == ("failed", "import_invalid", told)
    assert told == "Line 4: This is not JSON."
    assert not Dispatch.objects.filter(operation_id=begun.id).exists()
    retry(tenant.id, begun.id, actor=SYSTEM)
    perform(tenant.id, begun.id)
    assert (reload(begun).status, reload(begun).error_code) == ("failed", "bank_not_found")


def test_rows_of_the_bank_that_is_gone_are_removed(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    send(access, lines[:-2])
    made = load(access, "copy")
    refuse(access, [b"nonsense"], len(lines) - 1)
    with tenant_transaction(tenant.id):
        deletion = Operation.objects.for_tenant(tenant.id).get(kind="delete_bank")
    perform(tenant.id, deletion.id)
    with tenant_transaction(tenant.id):
        assert not MemoryUnit.objects.for_tenant(tenant.id).filter(bank=made).exists()
        assert not Bank.objects.for_tenant(tenant.id).filter(id=made.id).exists()


def test_a_part_that_was_cut_off_leaves_no_bank_behind_and_comes_again(
    tenant: Tenant, access: BankAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = small_file(tenant, access)
    with monkeypatch.context() as broken:
        broken.setattr(receive, "save_progress", break_off)
        with pytest.raises(OperationalError):
            send(access, lines)
    assert names_of_banks(access) == {"source"}
    send(access, lines[:3])
    with monkeypatch.context() as broken:
        broken.setattr(receive, "save_progress", break_off)
        with pytest.raises(OperationalError):
            send(access, lines[3:], 4)
    assert names_of_banks(access) == {"source", "copy"}
    refuse(access, [*lines[3:], b"nonsense"], 4)
    assert names_of_banks(access) == {"source"}


def break_off(*_given: Any) -> None:
    raise OperationalError("The database went away.")


@pytest.mark.parametrize("sent_before", [0, 1, 4], ids=["at once", "after the header", "after some rows"])
def test_a_bank_that_was_there_is_as_it_was(tenant: Tenant, access: BankAccess, sent_before: int) -> None:
    lines = small_file(tenant, access)
    there = make_bank(tenant, bank_id="copy", background="I am Nora.", empathy=5)
    make_row(Directive, tenant, bank=there, name="polite", content="Be polite.")
    before = without_ids(write_out(access, "copy"))
    for number in range(sent_before):
        send(access, lines[number : number + 1], number + 1)
    refuse(access, [*lines[sent_before:-1], b"nonsense"], sent_before + 1)
    assert without_ids(write_out(access, "copy")) == before
    assert load(access, "copy").id == there.id
    assert import_part(access, "copy", b"".join(lines), first_line=1).next_line is None


@pytest.mark.parametrize("was_there", [False, True], ids=["made for it", "there before"])
def test_rows_that_another_caller_wrote_meanwhile_stay(tenant: Tenant, access: BankAccess, *, was_there: bool) -> None:
    lines = small_file(tenant, access)
    if was_there:
        make_bank(tenant, bank_id="copy")
    begun = send(access, lines[:3])
    mine = make_unit(tenant, bank=load(access, "copy"), text="Somebody else was here.")
    refuse(access, [b"nonsense"], 4)
    with tenant_transaction(tenant.id):
        assert MemoryUnit.objects.for_tenant(tenant.id).filter(id=mine.id).exists()
    assert (reload(begun).status, reload(begun).payload["next_line"]) == ("pending", 4)
    assert import_part(access, "copy", b"".join(lines[3:]), first_line=4).next_line is None


def test_a_profile_that_another_caller_set_meanwhile_stays(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    send(access, lines[:2])
    change_bank(access, "copy", BankChange(background="I am Nora."))
    refuse(access, [b"nonsense"], 3)
    assert names_of_banks(access) == {"source", "copy"}
    assert load(access, "copy").background == "I am Nora."


def test_if_the_bank_held_rows_of_a_type_earlier_parts_stay(tenant: Tenant, access: BankAccess) -> None:
    there = make_bank(tenant, bank_id="copy")
    make_row(Directive, tenant, bank=there, name="polite", content="Be polite.")
    source = make_bank(tenant, bank_id="source")
    make_row(Directive, tenant, bank=source, name="brief", content="Be brief.")
    lines = write_out(access).splitlines(keepends=True)
    send(access, lines[:-1])
    refuse(access, [b"nonsense"], len(lines))
    with tenant_transaction(tenant.id):
        assert count_rows(there) == {"directive": 2}
    assert import_part(access, "copy", lines[-1], first_line=len(lines)).next_line is None


def test_a_completed_import_stays_whatever_follows(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    done = send(access, lines)
    assert "Nothing may follow the end" in refuse(access, [orjson.dumps(unit())], len(lines) + 1)
    run_waiting(access)
    assert reload(done).status == "completed"
    assert without_ids(write_out(access)) == without_ids(write_out(access, "copy"))


def test_a_key_that_may_not_reach_the_bank_makes_none(tenant: Tenant, access: BankAccess) -> None:
    lines = small_file(tenant, access)
    limited = BankAccess(tenant.id, banks=frozenset({"other"}))
    with pytest.raises(BankNotFound):
        send(limited, lines)
    assert names_of_banks(access) == {"source"}
