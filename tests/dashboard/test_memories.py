"""The list of memories and the page of one memory, with the acts on them."""

import html
import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.models import Bank, Link, MemoryUnit, Message, UnitTag
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.legal_hold import set_hold
from memoryplatform.operations.models import Erasure
from tenants.memberships import found_tenant
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, make_person, sign_in
from tests.belief_factories import make_opinion_revision
from tests.dashboard.conftest import find_unit, hear
from tests.factories import make_bank
from tests.memory_factories import make_row, make_unit

LIST = "/dashboard/banks/support/memories/"


def read(client: Client, path: str, **headers: str) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, path
    return html.unescape(re.sub(r"<(?!/?mark)[^>]*>", "", answer.content.decode()))


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def test_the_list_is_searched_while_somebody_types(client: Client, support: Bank) -> None:
    for words in ("sunrise", "sunr", "painting", "lake sun", "SUNRISE"):
        assert "sunrise over the lake" in read(client, f"{LIST}?q={words}"), words
        assert "Boston" not in read(client, f"{LIST}?q={words}", HX_Request="true"), words
    assert "No memory matches" in read(client, f"{LIST}?q=sunr ")
    assert "No memory matches" in read(client, f"{LIST}?q=kangaroo")


def test_a_part_of_the_page_is_answered_with_the_clean_address(client: Client, support: Bank) -> None:
    answer = client.get(f"{LIST}?q=sunrise&network=&state=current&tag=&since=", headers={"HX-Request": "true"})
    assert "<html" not in answer.content.decode()
    assert answer["HX-Push-Url"] == f"{LIST}?q=sunrise"
    going_back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in client.get(f"{LIST}?q=sunrise", headers=going_back).content.decode()


def test_an_event_is_true_since_it_happened(client: Client, acme: Tenant, support: Bank) -> None:
    happened = timezone.now() - timedelta(days=9)
    event = make_unit(acme, bank=support, text="Alice moved.", kind="event", occurred_start=happened)
    assert "an unknown time" not in read(client, f"{LIST}{event.id}/")
    assert f'aria-label="True from {happened:%-d %b %Y} to now' in client.get(f"{LIST}{event.id}/").content.decode()


def test_every_filter_narrows_the_list(client: Client, acme: Tenant, support: Bank) -> None:
    hear(acme, [("user", "Dele", "The Thursday group meets in Bristol.")], thread="other", tags=["weekly"])
    assert "Bristol" in read(client, LIST)
    for query in ("tag=weekly", "entity=Dele", "q=thurs", "meta=channel%3Dchat&q=bristol"):
        assert "Bristol" in read(client, f"{LIST}?{query}"), query
        assert "sunrise" not in read(client, f"{LIST}?{query}"), query
    for query in (
        "tag=daily",
        "entity=Caroline",
        "meta=channel%3Dmail",
        "network=opinion",
        "since=2026-06-01",
        "until=2026-01-01",
        "state=superseded",
        "known_at=2020-01-01T00:00",
    ):
        assert "Bristol" not in read(client, f"{LIST}?{query}", HX_Request="true"), query


@pytest.mark.parametrize(
    "query",
    [
        "network=nothing",
        "state=nothing",
        "since=yesterday",
        "as_of=never",
        "known_at=%00",
        "after=nonsense",
        "q=%00",
        "entity=%00",
        "tag=%00",
        "meta=novalue",
        "entity=nobody",
        "after=2026-05-08T14:00_x",
        "time=never&since=2026-01-01",
        "until=9999-12-31",
        "since=0001-01-01",
        f"entity={UUID(int=7)}",
        "q=" + "x" * 3000,
        "q=the",
        "&".join(f"tag=t{n}" for n in range(200)),
    ],
)
def test_nonsense_in_the_address_is_no_error(client: Client, support: Bank, query: str) -> None:
    read(client, f"{LIST}?{query}")


def test_pages_follow_each_other_without_gaps(client: Client, acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    now = timezone.now()
    for number in range(60):  # many at the same moment
        make_unit(
            acme,
            bank=bank,
            text=f"Fact {number:03}.",
            content_hash=bytes([number]),
            mentioned_at=now - timedelta(minutes=number // 7),
        )
    first = client.get(LIST).content.decode()
    following = html.unescape(re.findall(r'href="(\?[^"]*after=[^"]*)"', first)[0])
    second = client.get(LIST + following).content.decode()
    seen = re.findall(r"Fact \d+", first) + re.findall(r"Fact \d+", second)
    assert sorted(set(seen)) == [f"Fact {number:03}" for number in range(60)]
    assert len(seen) == 60


def test_the_number_of_statements_does_not_grow_with_the_memories(client: Client, acme: Tenant, support: Bank) -> None:
    def count(path: str) -> int:
        client.get(path)  # fills the caches
        with CaptureQueriesContext(connection) as statements:
            client.get(path)
        return len(statements)

    before = [count(LIST), count("/dashboard/banks/support/"), count("/dashboard/banks/support/conversations/")]
    hear(acme, [("user", "Dele", f"Group {number} meets in Bristol.") for number in range(12)], thread="other")
    after = [count(LIST), count("/dashboard/banks/support/"), count("/dashboard/banks/support/conversations/")]
    assert after == before
    assert max(after) <= 25


def test_a_memory_shows_its_quoted_words_in_the_conversation(client: Client, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    page = read(client, f"{LIST}{unit.id}/")
    assert re.search(r"<mark[^>]*>[^<]*painted a sunrise over the lake", page)
    assert "How was the group?" in page
    answer = client.get(f"{LIST}{unit.id}/").content.decode()
    assert "conversation/?thread=kitchen&amp;message=" in answer


def test_editing_leaves_a_step_of_history(client: Client, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    form = client.get(f"{LIST}{unit.id}/edit/").content.decode()
    version = re.findall(r'name="version" value="(\w+)"', form)[0]
    given = {
        "text": "Caroline: I painted a sunset over the lake afterwards.",
        "network": unit.network,
        "importance": "0.5",
        "tags": "art, weekend",
        "metadata": "channel=mail",
        "reason": "She corrected herself.",
        "version": version,
    }
    assert client.post(f"{LIST}{unit.id}/edit/", given).status_code == 302
    page = read(client, f"{LIST}{unit.id}/")
    for words in ("sunset", "weekend", "mail", "She corrected herself.", "olga@example.com", "Edited"):
        assert words in page
    stale = client.post(f"{LIST}{unit.id}/edit/", given | {"text": "Something else."})
    assert stale.status_code == 422
    shown = stale.content.decode()
    assert "Something else." in shown
    assert "It now reads: Caroline: I painted a sunset" in shown
    again = given | {"text": "Something else.", "version": re.findall(r'name="version" value="(\w+)"', shown)[0]}
    assert client.post(f"{LIST}{unit.id}/edit/", again).status_code == 302


def test_an_edit_can_be_taken_back(client: Client, acme: Tenant, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    page = f"{LIST}{unit.id}/"
    given = {"text": "She paints.", "network": unit.network, "importance": "0.5", "tags": "art", "metadata": ""}
    assert client.post(f"{page}edit/", given).status_code == 302
    (back,) = re.findall(r'href="([^"]+\?before=[^"]+)"', client.get(page).content.decode())
    form = client.get(back).content.decode()
    assert "These are the values from before that edit." in form
    assert "I painted a sunrise over the lake" in form
    assert 'name="tags" value="art"' not in form
    nonsense = client.get(f"{page}edit/?before=nonsense").content.decode()
    assert "She paints." in nonsense
    assert "These are the values" not in nonsense


@pytest.mark.parametrize(
    ("field", "value"), [("text", ""), ("importance", "7"), ("metadata", "novalue"), ("occurred_start", "x")]
)
def test_a_refused_edit_keeps_the_input(client: Client, support: Bank, field: str, value: str) -> None:
    unit = find_unit(support, "sunrise")
    given = {"text": "Kept words.", "network": "world", "importance": "0.5", field: value, "reason": "Because."}
    answer = client.post(f"{LIST}{unit.id}/edit/", given)
    assert answer.status_code == 422
    assert "Because." in answer.content.decode()


def test_memories_are_closed_together_and_restored(client: Client, support: Bank) -> None:
    units = [find_unit(support, "sunrise"), find_unit(support, "Boston")]
    ids = {"id": [str(unit.id) for unit in units]}
    assert "2 memories" in client.post(f"{LIST}close/", ids).content.decode()
    client.post(f"{LIST}close/", ids | {"reason": "correction", "explanation": "A joke."})
    assert "sunrise" not in read(client, LIST)
    assert "A joke." in read(client, f"{LIST}{units[0].id}/")
    again = client.post(f"{LIST}close/", ids | {"reason": "correction"})
    assert again.status_code == 422
    client.post(f"{LIST}{units[0].id}/restore/")
    assert "sunrise" in read(client, LIST)


def test_an_erasure_is_shown_before_it_happens(client: Client, acme: Tenant, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    preview = read(client, f"{LIST}erase/?id={unit.id}")
    assert "Nothing is erased yet" in preview
    assert "sunrise over the lake" in preview
    assert "sunrise" in read(client, LIST)
    assert client.post(f"{LIST}erase/", {"id": str(unit.id), "confirmed": "yes"}).status_code == 302
    assert client.get(f"{LIST}{unit.id}/").status_code == 404
    with tenant_transaction(acme.id):
        assert not Message.objects.of_bank(support).filter(content__contains="sunrise").exists()


def test_an_erasure_names_the_opinions_that_go_with_the_memory(client: Client, acme: Tenant, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    text = "I think that Caroline paints well."
    opinion = make_unit(acme, bank=support, network="opinion", text=text, confidence=0.7)
    make_opinion_revision(acme, opinion=opinion, evidence=unit)
    preview = client.get(f"{LIST}erase/?id={unit.id}").content.decode()
    assert "Opinion that goes too" in preview
    assert "I think that Caroline paints well." in preview
    fields = {"id": str(unit.id), "opinion": re.findall('name="opinion" value="([^"]+)"', preview), "confirmed": "yes"}
    said = client.post(f"{LIST}erase/", fields, follow=True).content.decode()
    assert "with the words that it came from and 1 opinion without other grounds." in said
    assert client.get(f"/dashboard/banks/support/opinions/{opinion.id}/").status_code == 404


def test_several_memories_are_erased_by_a_worker(client: Client, acme: Tenant, support: Bank) -> None:
    units = [find_unit(support, "sunrise"), find_unit(support, "Boston")]
    ids = {"id": [str(unit.id) for unit in units]}
    preview = client.post(f"{LIST}erase/", ids).content.decode()
    assert "2 memories" in preview
    client.post(f"{LIST}erase/", ids | {"confirmed": "yes"})
    with tenant_transaction(acme.id):
        assert Erasure.objects.for_tenant(acme.id).count() == 2


def test_a_held_bank_says_why_nothing_is_erased(client: Client, acme: Tenant, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    set_hold(BankAccess(acme.id), "support", "Case 7")
    answer = client.get(f"{LIST}erase/?id={unit.id}", follow=True)
    assert "legal hold" in answer.content.decode()


def test_another_tenants_memory_is_not_there(client: Client, acme: Tenant, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    evil = found_tenant(name="Evil", slug="evil", owner=make_person("eve@example.com"))
    make_bank(evil, bank_id="support")
    eve = sign_in(join(evil, "mallory@example.com", "admin"), evil)
    for path in (f"{unit.id}/", f"{unit.id}/edit/", f"erase/?id={unit.id}", f"close/?id={unit.id}"):
        assert eve.get(LIST + path).status_code == 404, path
    for path, body in ((f"{unit.id}/restore/", {}), ("erase/", {"id": str(unit.id), "confirmed": "yes"})):
        eve.post(LIST + path, body)
    with tenant_transaction(acme.id):
        assert MemoryUnit.objects.of_bank(support).filter(id=unit.id, expired_at=None).exists()
    for path in ("close/", "erase/", "close/?id=x", f"erase/?id={uuid4()}"):
        assert client.get(LIST + path).status_code == 404


def test_a_viewer_sees_no_buttons(acme: Tenant, support: Bank) -> None:
    viewer = sign_in(join(acme, "vera@example.com", "viewer"), acme)
    unit = find_unit(support, "sunrise")
    assert 'type="checkbox" name="id"' not in viewer.get(LIST).content.decode()
    assert "erase/" not in viewer.get(f"{LIST}{unit.id}/").content.decode()


def test_what_a_memory_says_is_text(client: Client, acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    evil = "<script>alert(1)</script> [x](javascript:alert(1)) \u202eabc"
    unit = make_unit(acme, bank=bank, text=evil, speaker="<b>Eve</b>", context="<i>c</i>")
    for path in (LIST, f"{LIST}{unit.id}/", f"{LIST}{unit.id}/edit/", f"{LIST}erase/?id={unit.id}"):
        page = client.get(path).content.decode()
        assert "<script>alert" not in page
        assert "<b>Eve" not in page
        assert "<i>c" not in page
        assert "&lt;script&gt;alert(1)" in page


def test_a_very_long_memory_is_cut(client: Client, acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    unit = make_unit(acme, bank=bank, text="word " * 200_000 + "END")
    assert len(client.get(LIST).content) < 60_000
    page = client.get(f"{LIST}{unit.id}/").content.decode()
    assert "END" not in page
    assert len(page) < 100_000
    assert "END" in client.get(f"{LIST}{unit.id}/?all=1").content.decode()


def test_ended_memories_come_by_their_end_and_the_counts_obey_the_filters(client: Client, acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    now = timezone.now()
    for number in range(60):  # said in one order, ended in the other
        make_unit(
            acme,
            bank=bank,
            text=f"Fact {number:03}.",
            content_hash=bytes([number]),
            mentioned_at=now - timedelta(days=90 - number),
            expired_at=now - timedelta(minutes=number),
            close_reason="update",
        )
    make_unit(acme, bank=bank, text="A current fact.", content_hash=b"current")
    first = client.get(f"{LIST}?state=superseded")
    page = first.content.decode()
    assert re.findall(r"Fact \d+", page)[:2] == ["Fact 000", "Fact 001"]
    following = html.unescape(re.findall(r'href="(\?[^"]*after=[^"]*)"', page)[0])
    assert re.findall(r"Fact \d+", client.get(LIST + following).content.decode())[0] == "Fact 050"
    assert dict(first.context["networks"])["world"] == 60
    assert dict(client.get(LIST).context["networks"])["world"] == 1
    part = client.get(f"{LIST}?state=all", headers={"HX-Request": "true"}).content.decode()
    assert re.search(r'id="count-world" hx-swap-oob="true">61<', part)


def test_a_memory_that_is_similar_both_ways_is_listed_once(client: Client, acme: Tenant, support: Bank) -> None:
    one, other = (
        make_unit(acme, bank=support, text=text, content_hash=text.encode()) for text in ("Alice sails.", "She sails.")
    )
    with tenant_transaction(acme.id):
        for source, target in ((one, other), (other, one)):
            Link.objects.for_tenant(acme.id).create(source=source, target=target, type="semantic", weight=0.9)
    page = client.get(f"{LIST}{one.id}/").content.decode()
    assert page.count("She sails.") == 1
    assert str(one.id) not in page.split('class="crumbs"')[1].split("</nav>")[0].replace(f'title="{one.id}"', "")


def test_a_long_memory_shows_its_beginning_first(client: Client, acme: Tenant, support: Bank) -> None:
    unit = make_unit(acme, bank=support, text="A long memory. " * 6_000 + "The end.")
    page = client.get(f"{LIST}{unit.id}/").content.decode()
    assert page.count("A long memory.") < 100
    assert 'href="?all=1">Show all 90,008 characters' in page
    whole = client.get(f"{LIST}{unit.id}/?all=1").content.decode()
    assert "The end." in whole
    assert "Show less" in whole


def test_long_labels_have_their_whole_text_in_the_title(client: Client, acme: Tenant, support: Bank) -> None:
    unit = make_unit(acme, bank=support, text="Alice sails.")
    tag = "x" * 200
    make_row(UnitTag, acme, unit=unit, bank_id=support.id, tag=tag)
    for path in (LIST, f"{LIST}{unit.id}/"):
        assert f'title="{tag}"' in client.get(path).content.decode(), path
