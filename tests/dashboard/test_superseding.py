"""Replacing a memory by hand: the preview, the end of the former one, and the evidence of the new one."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from banks.enums import Kind, Network
from banks.models import Bank, MemoryUnit, Message, Relationship, UnitChange, UnitSource
from memoryplatform.operations.memories import single
from memoryplatform.operations.models import Operation
from tenants.models import AuditEvent, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, sign_in
from tests.dashboard.conftest import find_unit, hear
from tests.dashboard.test_memories import LIST, read
from tests.memory_factories import make_unit

NEW = "Caroline lives in Porto."
JUNE = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


@pytest.fixture
def home(acme: Tenant, support: Bank) -> MemoryUnit:
    hear(acme, [("user", "Dele", "Caroline lives in Lisbon.")], thread="office")
    return find_unit(support, "Lisbon")


def confirm(client: Client, unit: MemoryUnit, given: dict[str, str]) -> Any:
    """Presses the button of the preview."""
    preview = client.post(f"{LIST}{unit.id}/supersede/", given).content.decode()
    digest = re.search(r'name="confirmed" value="([0-9a-f]{64})"', preview)
    return client.post(f"{LIST}{unit.id}/supersede/", given | {"confirmed": digest[1] if digest else "none"})


def replace(client: Client, unit: MemoryUnit, *, text: str = NEW, since: str = "") -> UUID:
    answer = confirm(client, unit, {"text": text, "since": since})
    assert answer.status_code == 302, answer.content.decode()
    return UUID(urlsplit(answer["Location"]).path.rstrip("/").rsplit("/", 1)[1])


def fetch(bank: Bank, unit_id: UUID) -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).get(id=unit_id)


def test_the_preview_names_what_ends_and_changes_nothing(client: Client, support: Bank, home: MemoryUnit) -> None:
    answer = client.post(f"{LIST}{home.id}/supersede/", {"text": NEW, "since": "2026-06-01T00:00"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Nothing is changed yet" in page
    assert re.search(r"Ends</h3>.*Lisbon", page, re.DOTALL)
    assert "written by olga@example.com" in page
    with tenant_transaction(support.tenant_id):
        assert not MemoryUnit.objects.of_bank(support).filter(text__contains="Porto").exists()
        assert not Message.objects.of_bank(support).filter(content__contains="Porto").exists()
        assert not Operation.objects.for_tenant(support.tenant_id).filter(payload__closed_ids=[str(home.id)]).exists()
    assert fetch(support, home.id).expired_at is None


def test_the_former_memory_ends_when_the_new_one_begins(client: Client, support: Bank, home: MemoryUnit) -> None:
    new = fetch(support, replace(client, home, since="2026-06-01T00:00"))
    former = fetch(support, home.id)
    assert (former.valid_until, former.close_reason, former.superseded_by_id) == (JUNE, "update", new.id)
    assert former.expired_at is not None
    assert (new.text, new.valid_from, new.expired_at) == (NEW, JUNE, None)
    with tenant_transaction(support.tenant_id):
        source = UnitSource.objects.for_tenant(support.tenant_id).select_related("message").get(unit=new)
        change = UnitChange.objects.for_tenant(support.tenant_id).get(unit=former)
        noted = AuditEvent.objects.for_tenant(support.tenant_id).get(action="memory.superseded")
        handed = Operation.objects.for_tenant(support.tenant_id).filter(kind="consolidate").latest("id")
    assert source.message is not None
    assert (source.message.speaker, source.message.content) == ("olga@example.com", NEW)
    assert (change.action, change.actor) == ("superseded", "olga@example.com")
    assert noted.target == f"memory:{former.id}"
    assert handed.payload["unit_ids"] == [str(new.id)]
    assert handed.payload["closed_ids"] == [str(former.id)]
    page = read(client, f"{LIST}{new.id}/")
    for words in ("Written by hand", "olga@example.com", "Versions of this fact", "Lisbon"):
        assert words in page
    assert "Porto" in read(client, f"{LIST}{former.id}/")


def test_the_relationships_follow(client: Client, acme: Tenant, support: Bank) -> None:
    hear(acme, [("user", "Dele", "I live in Bristol.")], thread="office")
    said = find_unit(support, "live in Bristol")
    with tenant_transaction(support.tenant_id):
        rows = Relationship.objects.of_bank(support).filter(relation="lives_in", subject__name="Dele")
        former = rows.get()
    assert former.expired_at is None
    given = {"text": "Dele: I live in Porto.", "since": "2026-06-01T00:00"}
    page = client.post(f"{LIST}{said.id}/supersede/", given)
    assert re.search(rf"Relationships that end</h3>.*{re.escape(former.text)}", page.content.decode(), re.DOTALL)
    replace(client, said, **given)
    with tenant_transaction(support.tenant_id):
        former.refresh_from_db()
        (newer,) = rows.exclude(id=former.id)
    assert (former.valid_until, former.close_reason, former.superseded_by_id) == (JUNE, "update", newer.id)
    assert (newer.valid_from, newer.expired_at) == (JUNE, None)


def test_a_date_in_the_future_is_a_scheduled_end(client: Client, support: Bank, home: MemoryUnit) -> None:
    later = timezone.now().replace(second=0, microsecond=0) + timedelta(days=30)
    new_id = replace(client, home, since=f"{later:%Y-%m-%dT%H:%M}")
    former = fetch(support, home.id)
    assert (former.expired_at, former.valid_until, former.superseded_by_id) == (None, later, new_id)
    assert "Cancel its end" in read(client, f"{LIST}{home.id}/")
    client.post(f"{LIST}{home.id}/restore/")
    assert fetch(support, home.id).valid_until is None


def test_a_restored_memory_is_current_beside_the_new_one(client: Client, support: Bank, home: MemoryUnit) -> None:
    new_id = replace(client, home)
    client.post(f"{LIST}{home.id}/restore/")
    assert fetch(support, home.id).expired_at is None
    assert fetch(support, new_id).expired_at is None


def test_undoing_a_replacement_ends_the_new_memory(client: Client, support: Bank, home: MemoryUnit) -> None:
    new_id = replace(client, home)
    assert "Undo the replacement" in read(client, f"{LIST}{new_id}/")
    page = client.get(f"{LIST}{home.id}/").content.decode()
    assert re.search(r'id="restore".*Porto.*name="end_replacement" value="yes" checked', page, re.DOTALL)
    client.post(f"{LIST}{home.id}/restore/", {"end_replacement": "yes"})
    former, new = fetch(support, home.id), fetch(support, new_id)
    assert (former.expired_at, former.valid_until, former.superseded_by_id) == (None, None, None)
    assert (new.expired_at is not None, new.close_reason) == (True, "correction")
    page = client.get(f"{LIST}{home.id}/").content.decode()
    assert f'href="{LIST}{new_id}/">The memory that had replaced it' in page
    answer = client.post(f"{LIST}{home.id}/restore/", {"end_replacement": "yes"}, follow=True)
    assert "No memory has replaced this one." in answer.content.decode()


def test_a_scheduled_replacement_is_undone_too(client: Client, support: Bank, home: MemoryUnit) -> None:
    later = timezone.now() + timedelta(days=30)
    new_id = replace(client, home, since=f"{later:%Y-%m-%dT%H:%M}")
    client.post(f"{LIST}{home.id}/restore/", {"end_replacement": "yes"})
    former = fetch(support, home.id)
    assert (former.expired_at, former.valid_until, former.superseded_by_id) == (None, None, None)
    assert fetch(support, new_id).close_reason == "correction"


def test_a_text_that_was_changed_after_the_preview_is_previewed_again(
    client: Client, support: Bank, home: MemoryUnit
) -> None:
    page = client.post(f"{LIST}{home.id}/supersede/", {"text": NEW}).content.decode()
    digest = re.search(r'name="confirmed" value="([0-9a-f]{64})"', page)
    assert digest
    changed = {"text": "Caroline lives in Faro.", "confirmed": digest[1]}
    page = client.post(f"{LIST}{home.id}/supersede/", changed).content.decode()
    assert "Your input was changed after the preview" in page
    assert re.search(r'class="memory-text mt-1 font-medium">Caroline lives in Faro.', page)
    assert fetch(support, home.id).expired_at is None


def test_the_new_memory_keeps_the_tags_and_not_the_context(client: Client, acme: Tenant, support: Bank) -> None:
    hear(acme, [("user", "Dele", "Caroline lives in Lisbon.")], thread="office", tags=["family"])
    home = find_unit(support, "Lisbon")
    with tenant_transaction(support.tenant_id):
        MemoryUnit.objects.of_bank(support).filter(id=home.id).update(context="at the kitchen table")
    new_id = replace(client, home)
    with tenant_transaction(support.tenant_id):
        shown = single.show(support, single.get_unit(support, new_id)).described
    assert (shown.unit.context, shown.unit.dimensions.get("where"), shown.metadata) == ("", None, {})
    assert list(shown.tags) == ["family"]
    assert [entity.name for entity in shown.entities] == ["Caroline", "Porto"]


def test_the_preview_of_an_erasure_names_what_stays_ended(client: Client, support: Bank, home: MemoryUnit) -> None:
    new_id = replace(client, home)
    page = read(client, f"{LIST}erase/?id={new_id}")
    assert re.search(r"Replaced by it.*stays ended.*Lisbon", page, re.DOTALL)
    client.post(f"{LIST}erase/", {"id": str(new_id), "confirmed": "yes", "restore": "yes"})
    former = fetch(support, home.id)
    assert (former.expired_at, former.superseded_by_id) == (None, None)
    assert client.get(f"{LIST}{new_id}/").status_code == 404


def test_an_erasure_of_the_new_memory_takes_the_written_text_with_it(
    client: Client, support: Bank, home: MemoryUnit
) -> None:
    new_id = replace(client, home)
    client.post(f"{LIST}erase/", {"id": str(new_id), "confirmed": "yes"})
    with tenant_transaction(support.tenant_id):
        assert not MemoryUnit.objects.of_bank(support).filter(id=new_id).exists()
        assert not Message.objects.of_bank(support).filter(content__contains="Porto").exists()
    assert fetch(support, home.id).superseded_by_id is None


def test_words_that_another_memory_has_need_no_second_one(client: Client, support: Bank, home: MemoryUnit) -> None:
    hear(Tenant(id=support.tenant_id), [("user", "Dele", "Caroline paints lakes.")], thread="third")
    known = find_unit(support, "paints lakes")
    assert replace(client, home, text=f"{known.rendered_text}") == known.id
    assert fetch(support, home.id).superseded_by_id == known.id


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": "  "}, "required|Write what is true now"),
        ({"text": NEW, "since": "soon"}, "valid date"),
        ({"text": NEW, "version": "stale"}, "has changed since"),
        ({"text": NEW, "since": "1990-01-01T00:00"}, "begin before"),
        ({"text": "dele: caroline lives in lisbon"}, "says the same"),
    ],
)
def test_a_refusal_keeps_the_input(
    client: Client, support: Bank, home: MemoryUnit, given: dict[str, str], said: str
) -> None:
    with tenant_transaction(support.tenant_id):
        MemoryUnit.objects.of_bank(support).filter(id=home.id).update(valid_from=datetime(2020, 1, 1, tzinfo=UTC))
    answer = confirm(client, home, given)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert re.search(said, page)
    assert given["text"].strip() in page
    assert fetch(support, home.id).expired_at is None


def test_events_opinions_and_ended_memories_are_not_replaced(client: Client, acme: Tenant, support: Bank) -> None:
    event = make_unit(acme, bank=support, kind=Kind.EVENT, text="Caroline ran.", content_hash=b"1")
    opinion = make_unit(
        acme, bank=support, network=Network.OPINION, confidence=0.7, text="Runs are good.", content_hash=b"2"
    )
    ended = make_unit(
        acme, bank=support, text="It rained.", content_hash=b"3", expired_at=timezone.now(), close_reason="update"
    )
    for unit, said in ((event, "An event stays true"), (opinion, "Only facts"), (ended, "has ended already")):
        assert said in client.get(f"{LIST}{unit.id}/supersede/").content.decode()
        assert client.post(f"{LIST}{unit.id}/supersede/", {"text": NEW, "confirmed": "yes"}).status_code == 422
        assert "supersede/" not in client.get(f"{LIST}{unit.id}/").content.decode()


def test_a_viewer_replaces_nothing(acme: Tenant, support: Bank, home: MemoryUnit) -> None:
    viewer = sign_in(join(acme, "vera@example.com", "viewer"), acme)
    assert "supersede/" not in viewer.get(f"{LIST}{home.id}/").content.decode()
    assert viewer.post(f"{LIST}{home.id}/supersede/", {"text": NEW, "confirmed": "yes"}).status_code == 403
