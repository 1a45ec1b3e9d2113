"""The pages of entities: list, one entity, edit, and merge and split with preview and undo."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from banks.entities.names.normalise import identity_key, normalise_name
from banks.entities.store import list_keys
from banks.models import (
    Bank,
    Entity,
    EntityKey,
    EntityName,
    MemoryUnit,
    Mention,
    Relationship,
    RelationshipSource,
    UnitSource,
)
from memoryplatform.operations import entity_details
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, sign_in
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_entity, make_relationship, make_row, make_unit

LIST = "/dashboard/banks/support/entities/"


@pytest.fixture
def bank(acme: Tenant) -> Bank:
    cache.clear()
    return make_bank(acme, bank_id="support")


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def name_entity(tenant: Tenant, bank: Bank, *names: str, texts: tuple[str, ...] = (), **fields: Any) -> Entity:
    """An entity that is found by these names, and mentioned under the first one in these texts."""
    usual = {"identity": identity_key(names[0]), "mention_count": len(texts)}
    entity = make_entity(tenant, bank=bank, name=names[0], **usual | fields)
    for name in names:
        make_row(EntityName, tenant, entity=entity, bank_id=bank.id, name=name, normalised_name=normalise_name(name))
    for key in list_keys(names):
        make_row(EntityKey, tenant, entity=entity, bank_id=bank.id, key=key)
    for text in texts:
        make_row(Mention, tenant, unit=make_unit(tenant, bank=bank, text=text), entity=entity, name=names[0])
    return entity


def page_of(entity: Entity, act: str = "") -> str:
    return f"{LIST}{entity.id}/{act}"


def read_mentions(tenant: Tenant) -> dict[str, set[str]]:
    """The texts that mention each entity."""
    with tenant_transaction(tenant.id):
        found: dict[str, set[str]] = {}
        for name, text in Mention.objects.for_tenant(tenant.id).values_list("entity__name", "unit__text"):
            found.setdefault(name, set()).add(text)
        return found


def test_the_list_is_searched_by_name_and_kind(client: Client, acme: Tenant, bank: Bank) -> None:
    name_entity(acme, bank, "Alice Smith", "Ally", texts=("Alice is here.",))
    name_entity(acme, bank, "Lisbon", kind="LOCATION")
    assert b"Alice Smith" in client.get(LIST).content
    for query, there, missing in (
        ("q=smi", b"Alice Smith", b"Lisbon</"),
        ("q=ally", b"Alice Smith", b"Lisbon</"),
        ("kind=LOCATION", b"Lisbon</", b"Alice Smith"),
        ("q=zzz", b"No entity matches", b"Alice Smith"),
    ):
        content = client.get(f"{LIST}?{query}", headers={"HX-Request": "true"}).content
        assert there in content, query
        assert missing not in content, query
        assert b"<html" not in content
    for nonsense in ("kind=x", "after=x", "after=9.x", "after=%00"):
        assert b"Alice Smith" in client.get(f"{LIST}?{nonsense}").content


def test_pages_follow_each_other(client: Client, acme: Tenant, bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entity_details, "PAGE_SIZE", 2)
    for number, count in enumerate((5, 5, 5, 1, 0)):
        make_entity(acme, bank=bank, name=f"Entity {number}", mention_count=count)
    seen, cursor = [], ""
    with tenant_transaction(acme.id):
        while True:
            page = entity_details.list_by_mentions(bank, cursor=cursor)
            seen += [one.name for one in page.rows]
            cursor = page.next_cursor
            if not cursor:
                break
    assert sorted(seen) == [f"Entity {number}" for number in range(5)]
    assert seen[3:] == ["Entity 3", "Entity 4"]


def test_a_page_shows_observations_with_sources_and_relationships(client: Client, acme: Tenant, bank: Bank) -> None:
    alice = name_entity(acme, bank, "Alice", "Ally", texts=("Alice moved to Lisbon.",), summary="A nomad.")
    lisbon = name_entity(acme, bank, "Lisbon", kind="LOCATION")
    summary = make_unit(acme, bank=bank, network="observation", text="Alice moves often.")
    make_row(Mention, acme, unit=summary, entity=alice, name="Alice")
    with tenant_transaction(acme.id):
        fact = MemoryUnit.objects.of_bank(bank).get(text="Alice moved to Lisbon.")
    make_row(UnitSource, acme, unit=summary, other_unit=fact, role="summarises")
    now = timezone.now()
    over = {"valid_until": now, "expired_at": now, "close_reason": "update", "mentioned_at": now - timedelta(days=9)}
    make_relationship(acme, bank=bank, subject=alice, value="Porto", text="Alice lives in Porto.", **over)
    make_relationship(acme, bank=bank, subject=alice, object=lisbon, value="")
    page = client.get(page_of(alice)).content.decode()
    for text in ("A nomad.", "Alice moves often.", "From 1 fact", "lives in", "Porto", "Lisbon", "Ally"):
        assert text in page, text
    assert f"/dashboard/banks/support/memories/{fact.id}/" in page


def test_a_name_is_escaped(client: Client, acme: Tenant, bank: Bank) -> None:
    entity = name_entity(acme, bank, "<script>alert(1)</script>", "שלום")
    for page in (LIST, page_of(entity), page_of(entity, "split/"), page_of(entity, "merge/")):
        assert "<script>alert" not in client.get(page).content.decode()


def test_an_entity_is_renamed(client: Client, acme: Tenant, bank: Bank) -> None:
    alice = name_entity(acme, bank, "Alice", texts=("Alice is here.",))
    name_entity(acme, bank, "Bob")
    assert client.post(page_of(alice, "edit/"), {"name": "Alice Smith", "kind": "PERSON"}).status_code == 302
    assert "Alice Smith" in client.get(page_of(alice)).content.decode()
    for name in ("Bob", "…", ""):  # of another, without letters, empty
        refused = client.post(page_of(alice, "edit/"), {"name": name, "kind": "PERSON"})
        assert refused.status_code == 422, name
        assert "<dialog" in refused.content.decode()


def test_a_preview_changes_nothing(client: Client, acme: Tenant, bank: Bank) -> None:
    alice = name_entity(acme, bank, "Alice", texts=("Alice is here.",))
    ally = name_entity(acme, bank, "Ally", texts=("Ally is there.",))
    before = read_mentions(acme)
    page = client.get(f"{page_of(alice, 'merge/')}?other={ally.id}").content.decode()
    assert "Nothing has changed yet." in page
    assert "2 mentions" in page
    assert "also Ally" in page
    assert read_mentions(acme) == before


def test_a_merge_and_its_undo(client: Client, acme: Tenant, bank: Bank) -> None:
    alice = name_entity(acme, bank, "Alice", texts=("Alice is here.",))
    ally = name_entity(acme, bank, "Ally", texts=("Ally is there.", "Ally likes tea."))
    make_relationship(acme, bank=bank, subject=ally, relation="likes", value="tea", text="Ally likes tea.")
    before = read_mentions(acme)
    client.post(page_of(alice, "merge/"), {"other": str(ally.id)})
    assert read_mentions(acme) == {"Alice": {"Alice is here.", "Ally is there.", "Ally likes tea."}}
    assert "Undo the merge" in client.get(page_of(alice)).content.decode()
    restored = client.post(page_of(alice, "undo/"))
    assert read_mentions(acme) == before
    with tenant_transaction(acme.id):
        new = Entity.objects.of_bank(bank).get(name="Ally")
        assert new.kind == "PERSON"
    assert restored["Location"] == page_of(new)
    assert "Undo the merge" not in client.get(page_of(alice)).content.decode()
    again = client.post(page_of(alice, "undo/"), follow=True).content.decode()
    assert "The undo is no longer offered." in again


def read_relationships(tenant: Tenant) -> list[tuple[Any, ...]]:
    """Every relationship with the names of its ends, its state, and the texts that state it."""
    with tenant_transaction(tenant.id):
        stated: dict[Any, set[str]] = {}
        for one, text in RelationshipSource.objects.for_tenant(tenant.id).values_list("relationship", "unit__text"):
            stated.setdefault(one, set()).add(text)
        columns = ("valid_from", "valid_until", "expired_at", "close_reason", "superseded_by", "proof_count")
        rows = Relationship.objects.for_tenant(tenant.id).order_by("text")
        found = rows.values_list("text", "subject__name", "object__name", *columns, "mentioned_at", "id")
        return [(*row[:-1], stated.get(row[-1], set())) for row in found]


def relate(tenant: Tenant, bank: Bank, subject: Entity, relation: str, thing: Entity | str, **fields: Any) -> None:
    """A relationship that a memory of its own states. The memory mentions both ends."""
    name = thing if isinstance(thing, str) else thing.name
    text = f"{subject.name} {relation} {name}."
    row = make_relationship(
        tenant,
        bank=bank,
        subject=subject,
        relation=relation,
        object=None if isinstance(thing, str) else thing,
        value=thing if isinstance(thing, str) else "",
        text=text,
        **fields,
    )
    unit = make_unit(tenant, bank=bank, text=text)
    make_row(RelationshipSource, tenant, relationship=row, unit=unit)
    for end in (subject, thing):
        if isinstance(end, Entity):
            make_row(Mention, tenant, unit=unit, entity=end, name=end.name)


def test_the_undo_of_a_merge_brings_every_relationship_back(client: Client, acme: Tenant, bank: Bank) -> None:
    alice = name_entity(acme, bank, "Alice", texts=("Alice is here.",))
    ally = name_entity(acme, bank, "Ally", texts=("Ally is there.",))
    carmen = name_entity(acme, bank, "Carmen", texts=("Carmen sings.",))
    past = timezone.now() - timedelta(days=300)
    relate(acme, bank, alice, "knows", ally)
    relate(acme, bank, alice, "likes", carmen, proof_count=3, valid_from=past)
    relate(acme, bank, ally, "likes", carmen, valid_from=past - timedelta(days=5))
    relate(acme, bank, carmen, "teaches", ally)
    relate(acme, bank, ally, "lives_in", "Porto", valid_from=past)
    relate(acme, bank, alice, "lives_in", "Lisbon", valid_from=past + timedelta(days=9))
    before = read_relationships(acme)
    preview = client.get(f"{page_of(alice, 'merge/')}?other={ally.id}").content.decode()
    assert "An undo brings them back." in preview
    assert "Alice knows Ally." in preview
    assert read_relationships(acme) == before
    client.post(page_of(alice, "merge/"), {"other": str(ally.id)})
    merged = read_relationships(acme)
    assert sum(row[5] is None for row in merged) == 3  # likes, teaches, lives in Lisbon
    assert "Ally lives_in Porto." in client.get(page_of(alice)).content.decode()
    client.post(page_of(alice, "undo/"))
    assert read_relationships(acme) == before


def test_an_undo_keeps_what_came_after_the_merge(client: Client, acme: Tenant, bank: Bank) -> None:
    alice = name_entity(acme, bank, "Alice", texts=("Alice is here.",))
    ally = name_entity(acme, bank, "Ally", texts=("Ally is there.",))
    relate(acme, bank, ally, "likes", "tea")
    relate(acme, bank, alice, "likes", "tea")
    client.post(page_of(alice, "merge/"), {"other": str(ally.id)})
    with tenant_transaction(acme.id):
        rows = Relationship.objects.of_bank(bank)
        rows.filter(expired_at=None).update(proof_count=9)
        rows.filter(close_reason="correction").delete()  # its memory was deleted meanwhile
    client.post(page_of(alice, "undo/"))
    with tenant_transaction(acme.id):
        (left,) = Relationship.objects.of_bank(bank)
        assert (left.subject.name, left.proof_count, left.expired_at) == ("Ally", 9, None)


def test_a_split_and_its_undo(client: Client, acme: Tenant, bank: Bank) -> None:
    sam = name_entity(acme, bank, "Sam", "Samantha", texts=("Sam is here.",))
    unit = make_unit(acme, bank=bank, text="Samantha is there.")
    make_row(Mention, acme, unit=unit, entity=sam, name="Samantha")
    before = read_mentions(acme)
    preview = client.get(f"{page_of(sam, 'split/')}?alias=Samantha&preview=yes").content.decode()
    assert "Nothing has changed yet." in preview
    assert read_mentions(acme) == before
    answer = client.post(page_of(sam, "split/"), {"alias": "Samantha"})
    assert read_mentions(acme) == {"Sam": {"Sam is here."}, "Samantha": {"Samantha is there."}}
    assert "Undo the split" in client.get(answer["Location"]).content.decode()
    assert client.post(f"{answer['Location']}undo/")["Location"] == page_of(sam)
    assert read_mentions(acme) == before


def test_a_split_by_memories_needs_a_name_of_its_own(client: Client, acme: Tenant, bank: Bank) -> None:
    sam = name_entity(acme, bank, "Sam", texts=("Sam is here.", "Sam is there."))
    with tenant_transaction(acme.id):
        unit = MemoryUnit.objects.of_bank(bank).get(text="Sam is there.")
    preview = client.get(page_of(sam, "split/"), {"unit": str(unit.id), "preview": "yes"})
    assert preview.status_code == 422
    assert "Sam is the name of another entity; give the new one a name." in preview.content.decode()
    same = client.get(page_of(sam, "split/"), {"unit": str(unit.id), "name": "Sam", "preview": "yes"})
    assert "Sam keeps this name; give the new entity another." in same.content.decode()
    assert client.post(page_of(sam, "split/"), {"unit": str(unit.id), "name": "Sam Two"}).status_code == 302
    assert read_mentions(acme) == {"Sam": {"Sam is here."}, "Sam Two": {"Sam is there."}}


def test_a_split_of_nothing_or_everything_is_refused(client: Client, acme: Tenant, bank: Bank) -> None:
    sam = name_entity(acme, bank, "Sam", texts=("Sam is here.",))
    for given in ({}, {"alias": "Sam"}, {"alias": "Nobody"}, {"unit": "x"}):
        assert client.post(page_of(sam, "split/"), given).status_code == 422, given
    assert client.post(page_of(sam, "merge/"), {"other": str(sam.id)}).status_code == 422


def test_a_viewer_sees_no_buttons_and_a_stranger_no_entity(client: Client, acme: Tenant, bank: Bank) -> None:
    alice = name_entity(acme, bank, "Alice", texts=("Alice is here.",))
    viewer = sign_in(join(acme, "vera@example.com", "viewer"), acme)
    page = viewer.get(page_of(alice)).content.decode()
    assert "Alice" in page
    assert "Merge" not in page
    assert viewer.post(page_of(alice, "edit/"), {"name": "X", "kind": "PERSON"}).status_code == 403
    foreign = make_entity(make_tenant())
    assert client.get(page_of(foreign)).status_code == 404
    assert client.get(page_of(foreign, "merge/")).status_code == 404
    assert client.post(page_of(alice, "merge/"), {"other": str(foreign.id)}).status_code == 404
    assert client.post(page_of(foreign, "edit/"), {"name": "X", "kind": "PERSON"}).status_code == 404


def test_the_queries_do_not_grow(
    client: Client, acme: Tenant, bank: Bank, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    alice = name_entity(acme, bank, "Alice", texts=tuple(f"Alice said {number}." for number in range(12)))
    for number in range(8):
        make_relationship(acme, bank=bank, subject=alice, relation="likes", value=f"tea {number}")
        make_entity(acme, bank=bank, name=f"Entity {number}")
    with django_assert_max_num_queries(26):
        client.get(page_of(alice))
    with django_assert_max_num_queries(18):
        client.get(LIST)
