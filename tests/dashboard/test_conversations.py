"""The threads of a bank, and one of them as a chat."""

import html
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from banks.models import Bank, Message
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import sign_in
from tests.dashboard.conftest import MAY, find_unit, hear
from tests.factories import make_bank
from tests.memory_factories import make_episode, make_message

LIST = "/dashboard/banks/support/conversations/"


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return html.unescape(answer.content.decode())


def test_threads_are_found_by_words_and_by_name(client: Client, acme: Tenant, support: Bank) -> None:
    hear(acme, [("user", "Dele", "The Thursday group meets in Bristol.")], thread="thursday/1")
    page = read(client, LIST)
    assert "kitchen" in page
    assert "thursday/1" in page
    for words in ("bristol", "brist", "thursday/"):
        found = read(client, f"{LIST}?q={words}")
        assert "thursday/1" in found, words
        assert "thread=kitchen" not in found, words
    assert "No conversation has" in read(client, f"{LIST}?q=kangaroo")
    assert "The Thursday group" in read(client, f"{LIST}?thread=thursday%2F1")


def test_a_message_has_its_memories_beside_it_and_an_anchor(client: Client, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    with tenant_transaction(support.tenant_id):
        message = Message.objects.of_bank(support).get(content__contains="sunrise")
    page = read(client, f"{LIST}?thread=kitchen&message={message.id}")
    turn = page[page.index(f'id="m-{message.id}"') :]
    assert f"memories/{unit.id}/" in turn
    assert re.search(r"<mark[^>]*>[^<]*sunrise over the lake", turn)
    assert "Episode" in page


def test_a_long_thread_is_read_in_parts(client: Client, acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    episode = make_episode(acme, bank=bank, thread="long", message_count=150)
    said = [
        make_message(
            acme,
            bank=bank,
            thread="long",
            episode=episode,
            content=f"Message {number:03}.",
            said_at=MAY + timedelta(minutes=number // 5),
        )
        for number in range(150)
    ]
    path = f"{LIST}?thread=long"
    seen: list[str] = []
    while path:
        page = read(client, path)
        seen = re.findall(r"Message \d+", page) + seen
        earlier = re.findall(r'href="(\?thread=long&before=[^"]+)"', page)
        path = LIST + earlier[0] if earlier else ""
    assert seen == [f"Message {number:03}" for number in range(150)]
    around = read(client, f"{LIST}?thread=long&message={said[75].id}#m-{said[75].id}")
    assert "Message 075" in around
    assert "Later messages" in around
    assert "Earlier messages" in around
    assert "Message 149" in read(client, f"{LIST}?thread=long&after={said[120].id}")


@pytest.mark.parametrize(
    "query",
    ["before=x", "q=%00", "before=2026-01-01T00:00:00%2B00:00&name=%00", "q=" + "x" * 3000, "before=2026-01-01"],
)
def test_nonsense_in_the_address_of_the_list_is_no_error(client: Client, support: Bank, query: str) -> None:
    read(client, f"{LIST}?{query}")


def test_a_message_that_is_gone_leads_to_the_end_of_the_thread(client: Client, support: Bank) -> None:
    assert "no longer there" in read(client, f"{LIST}?thread=kitchen&message={uuid4()}")
    assert "sunrise" in read(client, f"{LIST}?thread=kitchen&message=nonsense&before=x&after=y")


@pytest.mark.parametrize(
    "address", ["conversations/?thread=nowhere", "conversations/?thread=%00", "conversation/?thread=nowhere"]
)
def test_an_unknown_conversation_has_a_page_that_says_so(client: Client, support: Bank, address: str) -> None:
    answer = client.get(LIST.replace("conversations/", address))
    assert answer.status_code == 404
    assert "This conversation is not here" in answer.text
    assert LIST in answer.text


def test_a_longer_address_than_that_of_the_conversations_is_a_designed_404(client: Client, support: Bank) -> None:
    answer = client.get(f"{LIST}nowhere", headers={"Accept": "text/html"}, follow=True)
    assert answer.status_code == 404
    assert (answer.headers["Content-Type"], "<h1" in answer.text) == ("text/html; charset=utf-8", True)


def test_messages_without_a_thread_are_a_conversation_too(client: Client, acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    make_message(
        acme, bank=bank, thread="", content="<b>Nobody</b>", episode=make_episode(acme, bank=bank, message_count=1)
    )
    assert "Without a thread" in read(client, LIST)
    answer = client.get(f"{LIST}?thread=").content.decode()
    assert "&lt;b&gt;Nobody" in answer
    assert "<b>Nobody" not in answer


def test_a_chat_of_the_dashboard_is_titled_by_what_it_begins_with(client: Client, acme: Tenant, support: Bank) -> None:
    thread = f"chat-{uuid4()}"
    episode = make_episode(acme, bank=support, thread=thread, message_count=2)
    for place, text in enumerate(("Which train\ntakes me to Porto?", "The first one.")):
        said_at = MAY + timedelta(minutes=place)
        make_message(acme, bank=support, thread=thread, content=text, episode=episode, said_at=said_at)
    for path in (LIST, f"{LIST}?thread={thread}", LIST.replace("conversations/", "")):
        assert "Which train takes me to Porto?" in read(client, path), path
        assert f">{thread}<" not in read(client, path), path


def test_only_the_words_of_the_memory_that_one_came_from_are_marked_strongly(client: Client, support: Bank) -> None:
    unit = find_unit(support, "sunrise")
    page = client.get(f"/dashboard/banks/support/memories/{unit.id}/").content.decode()
    (address,) = set(re.findall(r'href="([^"]*/conversation/[^"]*)"', page))
    shown = client.get(html.unescape(address)).content.decode()
    (quoted,) = re.findall(r'<mark class="said said-world said-quoted">(.*?)</mark>', shown)
    assert "sunrise" in quoted
    assert shown.count('class="said said-') > 1
    assert f'/timeline/?memory={unit.id}"' in shown
    assert "said-quoted" not in client.get(f"{LIST}?thread=kitchen&quoted=nonsense").content.decode()
