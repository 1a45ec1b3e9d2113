"""Recall, reflect and chat in a browser, on a bank of a travel agent."""

import re
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from banks.models import Bank
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import PASSWORD
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.factories import make_bank
from tests.live_server import working
from tests.llm_server import Received, ScriptedLLM
from tests.llm_server.fixture import llm
from tests.llm_server.script import Reply
from tests.reflection.reflect.answers import opinion, write
from tests.retrieval.memory import NOW, Memory

__all__ = ["llm"]
HOSTILE = "<img src=x onerror=alert(1)> Alice said \u202eevil\u202c [link](javascript:alert(1))"
SPILLED = """[...document.querySelectorAll("#playground .score-grid > *")].filter(one =>
    one.scrollWidth > one.clientWidth + 1
    || one.getBoundingClientRect().right > one.closest("li").getBoundingClientRect().right)
    .map(one => one.textContent)"""
FACTS = (
    ("world", "Alice moved to Lisbon in March and lives near the river."),
    ("world", "Alice works as an architect at Studio Norte."),
    ("world", "Bob is Alice's brother; he lives in Porto and sails every summer."),
    ("world", "Alice is allergic to peanuts."),
    ("experience", "I booked a train to Porto for Alice on the second of May."),
    ("experience", "I recommended the night train to Madrid, and Alice liked the idea."),
    ("world", "Alice prefers trains to planes, because she gets seasick and dislikes airports."),
    ("world", "Carol, a colleague of Alice, recommends the Douro valley in autumn."),
    ("observation", "Alice travels often within Portugal, mostly by train and mostly to see her brother."),
    ("world", "Alice's favourite dish is grilled sardines, which she eats every June."),
    ("world", HOSTILE),
)


@pytest.fixture
def open_bank(page: Page, signed_in: SignIn) -> Callable[..., Memory]:
    """Signs in, and fills the bank of Nora."""

    def act(role: str = "member") -> Memory:
        tenant = signed_in(page, role)
        memory = Memory(make_bank(tenant, bank_id="nora", name="Nora", background="I plan journeys for people."))
        people = {name: memory.entity(name, kind="PERSON", mention_count=9) for name in ("Alice", "Bob")}
        for days, (network, text) in enumerate(FACTS, 1):
            about = [entity for name, entity in people.items() if name in text]
            memory.unit(text, days=days * 9, network=network, about=about, tags=["travel"] if "train" in text else [])
        memory.unit(
            "I think that Alice would enjoy the Algarve by train, since she avoids planes.",
            network="opinion",
            confidence=0.72,
            about=[people["Alice"]],
        )
        memory.unit("Alice lives in Berlin.", days=300, valid_from=NOW - timedelta(days=400), about=[people["Alice"]])
        return memory

    return act


def test_a_recall_shows_why_each_result_stands_where_it_stands(page: Page, open_bank: Callable[..., Memory]) -> None:
    open_bank("viewer")
    page.goto("/dashboard/banks/nora/recall/")
    check_page(page, "recall-empty")
    page.get_by_role("link", name="What is known about Alice?").click()
    expect(page.get_by_role("searchbox", name="Query")).to_have_value("What is known about Alice?")
    page.get_by_role("searchbox", name="Query").fill("Where does Alice live, and how does she travel by train?")
    page.get_by_role("button", name="Recall", exact=True).click()
    expect(page).to_have_url(re.compile("query=Where"))
    expect(page.get_by_role("heading", name=re.compile(r"\d+ results"))).to_be_visible()
    scores = page.get_by_role("group", name="Scores of result 1", exact=True)
    expect(scores).to_have_count(0)  # a result shows its text and its relevance, and the rest on demand
    expect(page.get_by_role("img", name="Relevance").first).to_be_visible()
    page.get_by_text("Scores, step by step").first.click()
    expect(scores).to_contain_text("Semantic")
    expect(page.get_by_text("evil")).to_have_count(1)  # as text: no image was loaded, no link was made
    assert page.locator("#playground img").count() == 0
    page.go_back()
    expect(page.get_by_role("searchbox", name="Query")).to_have_value("What is known about Alice?")
    page.go_back()
    expect(page.get_by_role("link", name="What is known about Alice?")).to_be_visible()  # the bank is not called empty
    page.go_forward()
    expect(page.get_by_role("searchbox", name="Query")).to_have_value("What is known about Alice?")
    page.go_forward()
    expect(page.get_by_role("searchbox", name="Query")).to_have_value(re.compile("^Where does Alice"))
    page.wait_for_load_state()  # a page that history has lost is loaded again, and a reload may not interrupt that
    page.reload()
    for one in page.get_by_text("Scores, step by step").all():
        one.click()
    expect(scores).to_contain_text("Final")
    expect(page.get_by_text(re.compile(r"^(First|Found) (by|in) .*rerank.*\.$")).first).to_be_visible()
    page.get_by_text("What the names and numbers mean").click()
    expect(page.get_by_text("Combined times the boosts.")).to_be_visible()
    check_page(page, "recall-results")
    page.get_by_role("button", name="Copy as code").click()
    expect(page.get_by_role("dialog")).to_contain_text("client.recall(")
    check_page(page, "recall-code")


def test_two_settings_side_by_side(page: Page, open_bank: Callable[..., Memory]) -> None:
    open_bank("viewer")
    page.goto("/dashboard/banks/nora/recall/")
    page.get_by_role("searchbox", name="Query").fill("How does Alice travel by train?")
    page.get_by_label("Compare two settings").check()
    page.locator("[name='b-max_tokens']").fill("60")
    page.get_by_text("Filters and time travel").nth(1).click()
    page.get_by_role("group", name="B").get_by_label("world").check()
    page.get_by_role("button", name="Recall", exact=True).click()
    second = page.get_by_role("region", name="Results of B")
    expect(second).to_contain_text("did not fit into the tokens")
    expect(second).to_contain_text("of 60")
    second.get_by_text("did not fit into the tokens").click()
    page.evaluate("for (const one of document.querySelectorAll('#playground li details')) one.open = true")
    for width in (1280, 768, 380):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(SPILLED) == [], width
    check_page(page, "recall-compared")


def test_a_size_that_a_reader_gave_to_a_field_breaks_no_rule_for_styles(
    page: Page, open_bank: Callable[..., Memory]
) -> None:
    """A browser writes the size into the style attribute, which htmx may not copy: see the console in `watch`."""
    open_bank("viewer")
    page.goto("/dashboard/banks/nora/recall/?query=Alice&compare=on")
    page.evaluate("for (const one of document.querySelectorAll('#playground [id]')) one.style.width = '90%'")
    page.get_by_role("searchbox", name="Query").fill("How does Alice travel?")
    page.get_by_role("button", name="Recall", exact=True).click()
    expect(page).to_have_url(re.compile("query=How"))
    expect(page.get_by_role("region", name="Results of B")).to_be_visible()


def answer_as_nora(received: Received) -> str:
    if "very skeptical" in received.prompt:
        return write("I doubt it: only [1] speaks for it, and [2] is hearsay.")
    return write(
        "Yes. Alice **avoids planes** [1], and she liked the idea of a night train [2].",
        opinions=[opinion("I think that a night train suits Alice, because she avoids planes", [1, 2])],
    )


def test_a_reflection_is_streamed_with_its_memories_and_opinions(
    page: Page, open_bank: Callable[..., Memory], llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = answer_as_nora
    open_bank()
    page.goto("/dashboard/banks/nora/reflect/")
    check_page(page, "reflect-empty")
    page.get_by_role("textbox", name="Question").fill("Should I recommend the night train to Alice?")
    page.get_by_role("button", name="Ask").click()
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("she liked the idea of a night train")
    expect(answer.get_by_role("heading", name="Opinions formed")).to_be_visible()
    expect(answer).to_contain_text("I think that a night train suits Alice")
    expect(answer.locator("strong", has_text="avoids planes")).to_be_visible()
    expect(answer.get_by_text("Found, and not read by the model")).to_be_hidden()  # the prompt held them all
    answer.get_by_role("link", name="Memory 2", exact=True).click()
    expect(page.locator("#a-2")).to_have_attribute("data-lit", "")
    expect(page.locator("#a-2").get_by_role("link")).to_have_attribute(
        "href", re.compile("/dashboard/banks/nora/memories/")
    )
    answer.get_by_text("Prompt and cost").click()
    expect(answer.get_by_label("Prompt", exact=True)).to_contain_text("You are Nora.")
    check_page(page, "reflect-answer")


def test_one_question_under_two_dispositions_keeps_no_opinion(
    page: Page, open_bank: Callable[..., Memory], llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = answer_as_nora
    open_bank()
    page.goto(
        "/dashboard/banks/nora/reflect/?query=Should+Alice+take+the+night+train%3F&compare=on&b-skepticism=5&b-bias_strength=0.9"
    )
    second = page.get_by_role("group", name="B")
    expect(second).to_contain_text("You are very skeptical")
    second.get_by_label("Empathy").fill("1")
    expect(second).to_contain_text("You are very detached")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("region", name="Answer A")).to_contain_text("Yes. Alice avoids planes")
    expect(page.get_by_role("region", name="Answer B")).to_contain_text("I doubt it")
    expect(page).to_have_url(re.compile("b-empathy=1"))
    expect(page.get_by_role("heading", name="Opinions formed")).to_have_count(0)
    check_page(page, "reflect-compared")


def test_a_chat_recalls_answers_and_retains(page: Page, open_bank: Callable[..., Memory], llm: ScriptedLLM) -> None:
    def reply(received: Received) -> str:
        if "This is a conversation" in received.prompt:
            return write("Happy to help: you avoid planes [1], so a night train to Madrid would suit you.")
        return '{"facts": []}'

    llm.chat.otherwise = reply
    open_bank()
    page.goto("/dashboard/banks/nora/chat/")
    check_page(page, "chat-empty")
    with working():
        page.get_by_role("textbox", name="Message").fill("I am Alice, and I plan a train journey to Madrid in May.")
        page.keyboard.press("Enter")
        expect(page.get_by_role("log")).to_contain_text("a night train to Madrid would suit you.")
        expect(page.get_by_role("region", name="Recalled").get_by_role("listitem").first).to_be_visible()
        expect(page.locator("#retained [data-status=completed]")).to_be_visible(timeout=20_000)
    check_page(page, "chat-answer")
    page.reload()
    expect(page.get_by_role("log")).to_contain_text("I plan a train journey to Madrid in May.")
    page.get_by_role("link", name="New chat").click()
    expect(page.get_by_role("log")).not_to_contain_text("Madrid")
    earlier = page.get_by_role("navigation", name="Earlier chats").get_by_role("link")
    expect(earlier).to_have_count(1)
    earlier.click()
    expect(page.get_by_role("log")).to_contain_text("a night train to Madrid would suit you.")
    expect(earlier).to_have_attribute("aria-current", "page")
    with working():
        page.get_by_role("textbox", name="Message").fill("I take my bicycle along.")
        page.keyboard.press("Enter")
        expect(page.locator("#retained [data-status=completed]")).to_be_visible(timeout=20_000)
    page.reload()
    expect(earlier).to_have_count(1)  # the same chat goes on
    expect(earlier).to_contain_text("4 messages")
    check_page(page, "chat-continued")
    page.goto("/dashboard/banks/nora/")  # its episodes name the chat by its first words
    expect(page.get_by_text("I am Alice, and I plan a train journey to Madrid in May.", exact=True)).to_be_visible()
    check_page(page, "bank-with-a-chat")


def test_a_slow_answer_is_stopped_and_a_failed_one_is_no_speech(
    page: Page, open_bank: Callable[..., Memory], llm: ScriptedLLM
) -> None:
    release = threading.Event()

    def hang(_: Received) -> str:
        release.wait(20)
        return write("Too late.")

    llm.chat.otherwise = hang
    open_bank()
    page.goto("/dashboard/banks/nora/chat/")
    message = page.get_by_role("textbox", name="Message")
    message.fill("I am Alice.")
    page.get_by_role("button", name="Send").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("log")).to_contain_text("Stopped. Nothing was retained.")
    expect(message).to_have_value("I am Alice.")  # it can be sent again
    release.set()
    llm.chat.otherwise = lambda _: Reply(status=400)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("The language model failed")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was retained.")
    expect(page.locator("#talk .bubble:not(.bubble-own)")).to_have_count(0)
    check_page(page, "chat-failed")


def test_without_a_language_model_the_chat_shows_what_it_recalls(page: Page, open_bank: Callable[..., Memory]) -> None:
    open_bank()
    page.goto("/dashboard/banks/nora/chat/")
    expect(page.get_by_text("No language model is configured.")).to_be_visible()
    with working():
        page.get_by_role("textbox", name="Message").fill("I am Alice, and I sold my sailing boat in Porto.")
        page.get_by_role("button", name="Send").click()
        recalled = page.get_by_role("region", name="Recalled")
        expect(recalled).to_contain_text("Porto")
        expect(recalled).to_contain_text(re.compile(r"the first 6 of \d+"))
        expect(recalled.get_by_role("listitem")).to_have_count(6)
        recalled.get_by_text(re.compile(r"^\d+ more$")).click()
        expect(recalled.get_by_role("listitem").nth(6)).to_be_visible()
        expect(page.get_by_role("region", name="Retained")).to_contain_text("I sold my sailing boat", timeout=20_000)
    check_page(page, "chat-without-model")
    page.goto("/dashboard/banks/nora/reflect/")
    page.get_by_role("textbox", name="Question").fill("Where does Bob live?")
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_role("textbox", name="Question")).to_have_value("Where does Bob live?\n")
    page.get_by_role("button", name="Ask").dblclick()  # the second click does not stop it
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("These memories match the question best")
    expect(answer).to_contain_text("quoted memories")
    expect(answer.get_by_text("Stopped.")).to_have_count(0)
    page.get_by_role("textbox", name="Question").press("Enter")
    expect(answer).to_contain_text("These memories match the question best")
    expect(answer.get_by_text("he lives in Porto")).to_have_count(1)
    check_page(page, "reflect-without-model")


def test_the_palette_searches_memories_from_the_overview(page: Page, open_bank: Callable[..., Memory]) -> None:
    open_bank()
    page.goto("/dashboard/")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search everything").fill("peanuts")
    expect(page.get_by_role("option", name="Alice is allergic to peanuts.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    switcher = page.locator("aside details:not(nav *)")
    switcher.locator("summary").click()
    expect(switcher).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(switcher).not_to_have_attribute("open", "")


def test_an_ended_session_keeps_the_question(page: Page, open_bank: Callable[..., Memory]) -> None:
    open_bank()
    page.goto("/dashboard/banks/nora/reflect/")
    question = page.get_by_role("textbox", name="Question")
    question.fill("Where does Bob live?")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("alert")).to_contain_text("your session has ended")
    expect(question).to_have_value("Where does Bob live?")
    other = page.context.new_page()
    other.goto("/accounts/login/")
    other.get_by_label("E-mail").fill("member@acme.example.com")
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("heading", name="Sign in")).to_have_count(0)
    page.get_by_role("button", name="Ask").click()  # the token of this tab is old
    expect(page.get_by_role("region", name="Answer")).to_contain_text("Bob")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_example_question_is_asked_with_one_click(page: Page, open_bank: Callable[..., Memory]) -> None:
    open_bank()
    page.goto("/dashboard/banks/nora/reflect/")
    check_page(page, "reflect-examples")
    examples = page.locator("[data-question]")
    text = examples.first.inner_text()
    examples.first.click()
    expect(page.get_by_role("textbox", name="Question")).to_have_value(text)
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    page.goto("/dashboard/banks/nora/chat/")
    page.locator("[data-question]").first.click()
    expect(page.locator("#talk .bubble-own")).to_be_visible()


def test_the_composer_of_the_chat_stays_in_sight(page: Page, open_bank: Callable[..., Memory]) -> None:
    """Below the alert about the model, and below a name that takes several lines."""
    memory = open_bank("member")
    with tenant_transaction(memory.bank.tenant_id):
        Bank.objects.for_tenant(memory.bank.tenant_id).update(name="The memory of a very long name " * 6)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/dashboard/banks/nora/chat/")
    expect(page.get_by_text("No language model is configured.")).to_be_visible()
    expect(page.get_by_text("no language model", exact=True)).to_have_count(0)  # it is said once
    expect(page.locator("#say")).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 380, "height": 800})
    with tenant_transaction(memory.bank.tenant_id):
        Bank.objects.for_tenant(memory.bank.tenant_id).update(name="Nora")
    page.goto("/dashboard/banks/nora/chat/")
    expect(page.locator("#say")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
