"""Recall, reflect and chat over HTTP, as members of a tenant."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from math import prod
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest
from django.conf import settings
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from banks.models import Bank, Episode, MemoryUnit, Message, UnitSource
from memoryplatform.dashboard.playgrounds.recall_trace import (
    CHANNELS,
    QUESTIONS,
    BoostScore,
    ChannelScore,
    write_boosted,
    write_found,
    write_reranked,
)
from memoryplatform.operations.models import Operation
from retrieval.models import RecallRecord
from retrieval.recall_log import RecallLog
from retrieval.types import QuestionType
from tenants.memberships import found_tenant
from tenants.models import Tenant, UsageRecord, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import acme, join, make_person, owner, sign_in
from tests.factories import make_bank, make_key_with_text
from tests.live_server import serve, use_small_models
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.memory_factories import make_message, make_row
from tests.reflection.reflect.answers import opinion, write
from tests.retrieval.fake_relevance import use_lisbon_rule
from tests.retrieval.memory import Memory

__all__ = ["acme", "llm", "owner"]
PAGE = "/dashboard/banks/support/"
SDK = Path(settings.BASE_DIR) / "sdk"
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> RecallLog:
    return use_small_models(monkeypatch)


@pytest.fixture
def memory(acme: Tenant) -> Memory:
    memory = Memory(make_bank(acme, bank_id="support", name="Nora"))
    alice = memory.entity("Alice", mention_count=3)
    memory.unit("Alice moved to Lisbon", about=[alice])
    memory.unit("Alice plays chess in Lisbon", tags=["games"], about=[alice])
    memory.unit("Bob lives in Porto")
    return memory


@pytest.fixture
def viewer(acme: Tenant, memory: Memory) -> Client:
    return sign_in(join(acme, "vera@example.com", "viewer"), acme)


@pytest.fixture
def post(acme: Tenant, memory: Memory) -> Iterator[Callable[..., httpx.Response]]:
    """Posts a form as a member, through the real server: Django's test client reads no stream."""
    session = sign_in(join(acme, "mia@example.com", "member"), acme).cookies[settings.SESSION_COOKIE_NAME].value
    with serve() as url:
        cookies = {settings.SESSION_COOKIE_NAME: session, "csrftoken": "x" * 32}
        with httpx.Client(base_url=url, cookies=cookies, headers={"X-CSRFToken": "x" * 32}, timeout=30) as client:
            yield lambda path, **fields: client.post(f"{PAGE}{path}", data=fields)
    connections.close_all()


def read_events(response: httpx.Response) -> list[tuple[str, Any]]:
    assert response.headers["content-type"] == "text/event-stream", response.text
    blocks = [block.split("\n") for block in response.text.strip().split("\n\n")]
    return [(block[0].removeprefix("event: "), json.loads(block[1].removeprefix("data: "))) for block in blocks]


def count(memory: Memory, **wanted: Any) -> int:
    with tenant_transaction(memory.bank.tenant_id):
        return MemoryUnit.objects.of_bank(memory.bank).filter(**wanted).count()


def test_the_page_shows_the_results_of_the_api(viewer: Client, memory: Memory, acme: Tenant) -> None:
    page = viewer.get(f"{PAGE}recall/", {"query": "Where is Alice?", "entities": "Alice", "max_tokens": "200"})
    (side,) = page.context["asked"]
    address, *_, body = shlex.split(page.context["samples"]["curl"].replace("\\\n", ""))[1:]
    key = make_key_with_text(acme)[1]
    path = address.partition("testserver")[2]
    answer = Client().post(path, body, "application/json", headers={"Authorization": f"Bearer {key}"}).json()
    assert [str(one.id) for one in side.shown.results] == [one["id"] for one in answer["results"]]
    assert {one.item.text for one in side.shown.results} == {"Alice moved to Lisbon", "Alice plays chess in Lisbon"}
    assert page.status_code == 200


def test_the_samples_are_the_same_recall(viewer: Client) -> None:
    given = {
        "query": 'Alice\'s "tea"?',
        "types": ["world"],
        "tags": "games",
        "as_of": "2026-05-01T10:00",
        "plain": "on",
    }
    samples = viewer.get(f"{PAGE}recall/", given).context["samples"]
    calls: list[tuple[Any, ...]] = []

    class Recorder:
        def __init__(self, *_: Any, **__: Any) -> None: ...

        def recall(self, *args: Any, **options: Any) -> Any:
            calls.append((args, options))
            return type("Recalled", (), {"results": []})

    code = samples["Python"].replace("from memoryplatform_client import MemoryClient", "")
    exec(code.replace('os.environ["MEMORYPLATFORM_API_KEY"]', "'key'"), {"MemoryClient": Recorder})  # noqa: S102  # our own text
    (((bank_id, query), options),) = calls
    assert (bank_id, query) == ("support", given["query"])
    body = json.loads(shlex.split(samples["curl"].replace("\\\n", ""))[-1])
    sent = {"query": query, **options, "as_of": options["as_of"].isoformat()}
    assert body == sent
    tool = json.loads(shlex.split(samples["MCP"].replace("\\\n", ""))[-1])["params"]["arguments"]
    assert tool["types"] == ["world"]
    assert "rerank" not in tool  # the tool has no such argument


def test_the_samples_run_as_they_are_copied(viewer: Client, acme: Tenant) -> None:
    samples = viewer.get(f"{PAGE}recall/", {"query": "Where is Alice?", "entities": "Alice"}).context["samples"]
    with serve() as url:
        environment = {**os.environ, "PYTHONPATH": str(SDK), "MEMORYPLATFORM_API_KEY": make_key_with_text(acme)[1]}
        for name, command in (("curl", ["bash", "-c"]), ("Python", [sys.executable, "-c"])):
            code = samples[name].replace("http://testserver", url)
            ran = subprocess.run([*command, code], check=False, env=environment, capture_output=True, text=True)
            assert "Alice plays chess in Lisbon" in ran.stdout, (name, ran.stdout, ran.stderr)
    connections.close_all()
    message = json.loads(shlex.split(samples["MCP"].replace("\\\n", ""))[-1])
    assert (message["jsonrpc"], message["id"], message["method"]) == ("2.0", 1, "tools/call")


def test_an_ended_session_leads_back_to_the_typed_query(viewer: Client) -> None:
    viewer.cookies.clear()
    asked = f"{PAGE}recall/?query=Where&max_tokens=60"
    answer = viewer.get(asked, headers={**HTMX, "HX-Current-URL": f"http://testserver{PAGE}recall/"})
    login = urlsplit(answer["HX-Redirect"])
    assert parse_qs(login.query) == {"next": [asked], "ended": ["yes"]}
    assert "What you typed is kept." in viewer.get(answer["HX-Redirect"]).content.decode()


def test_a_recall_of_the_page_is_logged(viewer: Client, memory: Memory, log: RecallLog) -> None:
    viewer.get(f"{PAGE}recall/", {"query": "Where is Alice?", "compare": "on", "b-budget": "low"})
    log.write()
    with tenant_transaction(memory.bank.tenant_id):
        assert RecallRecord.objects.for_tenant(memory.bank.tenant_id).count() == 2


def test_the_page_shows_relevance_and_the_candidates_that_are_not_relevant(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = use_lisbon_rule(monkeypatch)
    given = {"query": "Where do Alice and Bob live?", "compare": "on", "b-fill": "on", "b-max_results": "2"}
    page = viewer.get(f"{PAGE}recall/", given)
    first, second = (side.shown for side in page.context["asked"])
    assert (len(first.results), [row.text for row in first.dropped]) == (2, ["Bob lives in Porto"])
    assert first.relevance == 0.877
    assert len(second.results) == 2
    assert [(one.fills, one.max_results) for one in queries] == [(False, None), (True, 2)]
    assert page.content.decode().count("not relevant enough") == 2
    sample = json.loads(shlex.split(page.context["samples"]["curl"].replace("\\\n", ""))[-1])
    assert "fill" not in sample
    assert "max_results" not in sample


@pytest.mark.parametrize("most", ["0", "-3", "10001", "ten"])
def test_a_bad_number_of_results_is_named(viewer: Client, most: str) -> None:
    page = viewer.get(f"{PAGE}recall/", {"query": "Where is Alice?", "max_results": most})
    assert page.status_code == 422
    assert "Max results" in page.context["asked"][0].fault


def test_two_settings_are_compared_by_rank(viewer: Client) -> None:
    page = viewer.get(f"{PAGE}recall/", {"query": "Alice in Lisbon", "compare": "on", "b-tags": "games"})
    first, second = (side.shown.results for side in page.context["asked"])
    (only,) = second
    assert only.other_rank == next(one.rank for one in first if one.id == only.id)
    assert [one.other_rank for one in first if one.id != only.id] == [None] * (len(first) - 1)


def test_each_result_says_why_it_stands_there_and_its_numbers_add_up(viewer: Client) -> None:
    page = viewer.get(f"{PAGE}recall/", {"query": "Where is Alice?", "compare": "on", "b-plain": "on"})
    reranked, plain = (side.shown for side in page.context["asked"])
    for one in reranked.results:
        factors = prod(round(boost.factor, 4) for boost in one.boosts)
        assert round(one.combined, 4) * factors == pytest.approx(one.item.scores.final, abs=2e-4)
        assert one.why.startswith(("First ", "Found by "))
        assert escape(one.why) in page.content.decode()
    assert all("no reranking" in one.why for one in plain.results)
    first = reranked.results[0]
    for place, words in ((3, "put it at 3"), (None, "did not read it")):
        assert write_reranked(replace(first, reranker_place=place), any_reranked=True) == f"the reranker {words}"
    raised = replace(first, rank=1, boosts=[BoostScore("recency", 1.01), BoostScore("proof", 0.9)])
    assert [write_boosted(raised, before) for before in (1, 2)] == ["", "its date raised it"]


def test_the_first_place_in_several_searches_is_counted() -> None:
    ranks = {"semantic": 1, "keyword": 1, "graph": 1, "archive": 4}
    channels = [ChannelScore(name, CHANNELS[name], rank, 1.0, 1.0) for name, rank in ranks.items()]
    assert write_found(channels, 6) == "First in 3 of 6 searches"
    assert write_found(channels[1:], 6) == "First by words and links"
    later = [replace(one, rank=one.rank + 2) for one in channels]
    assert write_found(later, 6) == "Found by meaning (place 3) and words (place 3) and in 2 more searches"
    assert write_found(later[:1], 6) == "Found by meaning (place 3)"


def test_without_a_model_reflect_offers_to_keep_no_opinions(acme: Tenant, owner: User, memory: Memory) -> None:
    client = sign_in(owner, acme)
    assert 'name="store"' not in client.get(f"{PAGE}reflect/").content.decode()
    assert "the built-in engine serves" in client.get("/dashboard/llm/").content.decode()


def test_what_the_tokens_cut_is_listed_with_its_text(viewer: Client) -> None:
    page = viewer.get(f"{PAGE}recall/", {"query": "Alice in Lisbon", "max_tokens": "6", "fill": "true"})
    (side,) = page.context["asked"]
    assert side.shown.tokens <= 6
    assert {row.text for row in side.shown.cut} | {one.item.text for one in side.shown.results} >= {
        "Bob lives in Porto"
    }
    assert b"did not fit into the tokens" in page.content
    assert f"{side.shown.tokens} of 6 tokens, {len(side.shown.cut_ids)} more did not fit" in page.content.decode()


def test_each_type_of_question_is_explained() -> None:
    assert QUESTIONS.keys() == set(QuestionType)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"query": "!!!"},
        {"query": "Alice", "max_tokens": "-5"},
        {"query": "Alice", "budget": "enormous"},
        {"query": "Alice", "as_of": "yesterday-ish"},
        {"query": "Alice", "types": "dreams"},
        {"query": "Alice", "compare": "on", "b-max_tokens": "many"},
        {"query": "\x00"},
        {"query": "Alice", "tags": "," * 1_999},
        {"query": "Alice", "entities": ",".join("abcdefghij" * 15)},
    ],
)
def test_nonsense_in_the_address_is_said_plainly(viewer: Client, nonsense: dict[str, str]) -> None:
    assert viewer.get(f"{PAGE}recall/", nonsense).status_code in {200, 422}
    assert viewer.get(f"{PAGE}recall/", nonsense, headers=HTMX).status_code == 200  # htmx swaps no 422


def test_an_unreadable_setting_keeps_the_input(viewer: Client) -> None:
    page = viewer.get(f"{PAGE}recall/", {"query": "Where is Alice?", "max_tokens": "-5"})
    assert page.status_code == 422
    assert b'value="Where is Alice?"' in page.content
    assert b'value="-5"' in page.content
    assert b"Max tokens: Ensure this value is greater than or equal to 0." in page.content


def test_the_page_of_results_needs_few_queries(viewer: Client, memory: Memory) -> None:
    def count_queries() -> int:
        with CaptureQueriesContext(connection) as made:
            viewer.get(f"{PAGE}recall/", {"query": "Lisbon", "max_tokens": "10", "fill": "true"})
        return len(made)

    count_queries()  # fills caches
    few = count_queries()
    for number in range(20):
        memory.unit(f"Carol visited Lisbon {number} times")
    assert count_queries() == few <= 40


def test_another_tenants_bank_is_a_404(viewer: Client, memory: Memory) -> None:
    other = found_tenant(name="Other", slug="other", owner=make_person("otto@example.com"))
    stranger = sign_in(join(other, "rob@example.com", "owner"), other)
    for path in ("recall/", "reflect/", "chat/", f"chat/retained/{uuid4()}/"):
        assert stranger.get(f"{PAGE}{path}").status_code == 404
    for path in ("reflect/stream/", "chat/say/"):
        assert stranger.post(f"{PAGE}{path}", {"query": "x", "text": "x", "chat": str(uuid4())}).status_code == 404


def test_a_reflection_stores_opinions_only_if_wanted_and_never_while_trying(
    post: Callable[..., httpx.Response], memory: Memory, llm: ScriptedLLM
) -> None:
    noted = [opinion("I think that Alice likes Lisbon since she moved there", [1])]
    llm.chat.otherwise = lambda _received: write("In Lisbon [1].", opinions=noted)
    asked = {"query": "Where does Alice live, Lisbon?", "budget": "low"}
    post("reflect/stream/", **asked)
    trial = read_events(post("reflect/stream/", **asked, store="on", tries="on", skepticism="5", empathy="1"))
    assert count(memory, network="opinion") == 0
    system = next(data for name, data in trial if name == "prompt")["messages"][0]["content"]
    assert "You are very skeptical" in system
    assert "You are very detached" in system
    with tenant_transaction(memory.bank.tenant_id):
        assert Bank.objects.for_tenant(memory.bank.tenant_id).get(id=memory.bank.id).skepticism == 3
    events = read_events(post("reflect/stream/", **asked, store="on"))
    names = list(dict.fromkeys(name for name, _ in events))
    assert names == ["started", "memories", "delta", "citation", "written", "opinions", "done", "read", "prompt"]
    assert count(memory, network="opinion") == 1


def test_bad_input_and_a_broken_model_are_said(
    post: Callable[..., httpx.Response], memory: Memory, llm: ScriptedLLM
) -> None:
    refused = post("reflect/stream/", query="???")
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert post("reflect/stream/", query="Alice?", budget="endless").status_code == 422
    assert post("chat/say/", chat="no id", text="hello").status_code == 422
    assert post("chat/say/", chat=str(uuid4()), text="x" * 9_000).status_code == 422
    llm.chat.fail(400)
    assert read_events(post("reflect/stream/", query="Where is Alice?"))[-1][0] == "error"


def test_the_events_of_reflect_and_chat_show_control_characters(
    post: Callable[..., httpx.Response], memory: Memory, llm: ScriptedLLM
) -> None:
    memory.unit("\u202eEvil lives in Lisbon\x07")
    llm.chat.otherwise = lambda _received: write("\u202eEvil lives in Lisbon [1].")
    for path, fields in (
        ("reflect/stream/", {"query": "Who is in Lisbon?"}),
        ("chat/say/", {"text": "Who is in Lisbon?"}),
    ):
        answer = post(path, chat=str(uuid4()), **fields)
        events = read_events(answer)
        told = {
            name: json.dumps([data for one, data in events if one == name], ensure_ascii=False) for name, _ in events
        }
        assert "⟨U+202E⟩Evil lives in Lisbon⟨U+0007⟩" in told["memories"]
        for name in {"delta", "done", "prompt"} & set(told):
            assert "⟨U+202E⟩Evil" in told[name], name
        assert {"delta", "done"} <= set(told)
        assert "\u202e" not in json.dumps(events, ensure_ascii=False)
    llm.chat.fail(400)
    assert read_events(post("reflect/stream/", query="Where is Alice?"))[-1][0] == "error"


def test_a_turn_of_the_chat_knows_the_turns_before_it(
    post: Callable[..., httpx.Response], memory: Memory, llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = lambda _received: write("Bring your board [1].")
    chat_id = str(uuid4())
    first = read_events(post("chat/say/", chat=chat_id, text="I go to Lisbon to play chess."))
    assert [name for name, _ in first][-3:] == ["done", "read", "retaining"]
    assert 1 in dict(first)["read"]["numbers"]
    post("chat/say/", chat=chat_id, text="What should I pack for Lisbon?")
    prompt = prompts_of(llm)[-1]
    assert "Mia: I go to Lisbon to play chess." in prompt
    assert "Nora: Bring your board" in prompt
    with tenant_transaction(memory.bank.tenant_id):
        said = list(Message.objects.of_bank(memory.bank).filter(thread=f"chat-{chat_id}").order_by("said_at", "id"))
        assert UsageRecord.objects.for_tenant(memory.bank.tenant_id).filter(kind=UsageRecord.Kind.REFLECT).exists()
    assert [one.role for one in said] == ["user", "assistant"] * 2
    assert said[1].content == "Bring your board."  # without the mark, which nothing explains later


def prompts_of(llm: ScriptedLLM) -> list[str]:
    return [received.prompt for received in llm.chat.received if "This is a conversation" in received.prompt]


def test_an_answer_that_breaks_off_retains_nothing(
    post: Callable[..., httpx.Response], memory: Memory, llm: ScriptedLLM
) -> None:
    llm.chat.drop("stream")
    events = read_events(post("chat/say/", chat=str(uuid4()), text="I go to Lisbon."))
    assert events[-1][0] == "error"
    with tenant_transaction(memory.bank.tenant_id):
        assert not Message.objects.of_bank(memory.bank).exists()


def test_without_a_model_the_chat_retains_the_persons_words_alone(
    post: Callable[..., httpx.Response], memory: Memory, acme: Tenant
) -> None:
    events = read_events(post("chat/say/", chat=str(uuid4()), text="I sold my boat in Porto."))
    operation_id = dict(events)["retaining"]["operation_id"]
    with tenant_transaction(acme.id):
        (said,) = Message.objects.of_bank(memory.bank)
        assert Operation.objects.for_tenant(acme.id).get(id=operation_id).kind == "retain"
    assert (said.role, said.content) == ("user", "I sold my boat in Porto.")


def test_the_state_of_a_retain_is_shown_until_it_ends(acme: Tenant, owner: User, memory: Memory) -> None:
    client = sign_in(owner, acme)
    with tenant_transaction(acme.id):
        rows = Operation.objects.for_tenant(acme.id)
        common = {"kind": "retain", "bank": memory.bank, "bank_key": "support", "max_attempts": 3}
        unit = MemoryUnit.objects.of_bank(memory.bank).get(text="Bob lives in Porto")
        waiting = rows.create(**common)
        ended = rows.create(**common, status="completed", result={"unit_ids": [str(unit.id)]})
        failed = rows.create(**common, status="failed", error_detail="The model refused.")
        other = rows.create(**common | {"kind": "consolidate"})

    def show(operation: Operation) -> str:
        return client.get(f"{PAGE}chat/retained/{operation.id}/", headers=HTMX).content.decode()

    assert "hx-trigger" in show(waiting)
    assert "Bob lives in Porto" in show(ended)
    assert "hx-trigger" not in show(ended)
    assert "The model refused." in show(failed)
    assert client.get(f"{PAGE}chat/retained/{other.id}/").status_code == 404


def test_earlier_chats_are_listed_and_opened(acme: Tenant, owner: User, memory: Memory) -> None:
    client, now = sign_in(owner, acme), timezone.now()
    chats = {}
    for days, text in ((3, "I go to Lisbon."), (1, "What should I pack?")):
        chat_id, at = uuid4(), now - timedelta(days=days)
        thread = f"chat-{chat_id}"
        episode = make_row(Episode, acme, bank=memory.bank, thread=thread, started_at=at, ended_at=at)
        make_message(acme, bank=memory.bank, thread=thread, content=text, said_at=at, episode=episode)
        chats[text] = chat_id
    for other in ("chat-about-boats", "office"):  # of other sources
        make_row(Episode, acme, bank=memory.bank, thread=other, started_at=now, ended_at=now)
    page = client.get(f"{PAGE}chat/").content.decode()
    listed = re.findall(r'href="\?chat=([0-9a-f-]+)"', page)
    assert listed == [str(chats["What should I pack?"]), str(chats["I go to Lisbon."])]
    opened = client.get(f"{PAGE}chat/?chat={listed[1]}").content.decode()
    assert re.search(r'role="log".*I go to Lisbon\..*</form>', opened, re.DOTALL)
    assert f'name="chat" value="{listed[1]}"' in opened
    assert "From the messages so far" not in opened
    with tenant_transaction(acme.id):
        unit = MemoryUnit.objects.of_bank(memory.bank).get(text="Bob lives in Porto")
        said = Message.objects.of_bank(memory.bank).get(content="I go to Lisbon.")
        UnitSource.objects.for_tenant(acme.id).create(unit=unit, message=said, start=0, end=5)
    opened = client.get(f"{PAGE}chat/?chat={listed[1]}").content.decode()
    assert re.search(r"From the messages so far.*Bob lives in Porto", opened, re.DOTALL)


def test_a_viewer_neither_reflects_nor_chats(viewer: Client) -> None:
    for path in ("reflect/", "chat/", f"chat/retained/{uuid4()}/"):
        assert viewer.get(f"{PAGE}{path}").status_code == 403
    navigation = viewer.get(f"{PAGE}recall/").content.decode()
    assert "/support/reflect/" not in navigation
    assert "/support/chat/" not in navigation


def test_texts_of_memory_are_escaped(viewer: Client, memory: Memory) -> None:
    memory.unit("<script>alert(1)</script> Lisbon")
    page = viewer.get(f"{PAGE}recall/", {"query": "Lisbon <b>"}).content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<b>" not in page.partition("<main")[2].replace("<b>A</b>", "")
