"""Recall, reflect and chat in a browser, on a bank of a travel agent."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.factories import make_bank
from tests.retrieval.memory import NOW, Memory

HOSTILE = "<img src=x onerror=alert(1)> Alice said \u202eevil\u202c [link](javascript:alert(1))"
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
        memory.unit(
            "Alice lives in Berlin.", days=300, valid_from=NOW - timedelta(days=400), about=[people["Alice"]]
        )
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
    expect(page.get_by_role("group", name="Scores of result 1", exact=True)).to_contain_text("Semantic")
    expect(page.get_by_text("evil")).to_have_count(1)  # as text: no image was loaded, no link was made
    assert page.locator("#playground img").count() == 0
    page.reload()
    expect(page.get_by_role("group", name="Scores of result 1", exact=True)).to_contain_text("Final")
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
    check_page(page, "recall-compared")
