"""From an opinion to the sentence behind it, and its review, in a browser."""

import re

from playwright.sync_api import Page, expect

from tests.belief_factories import make_opinion
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.dashboard.test_opinions import BELIEF, SENTENCE, tell_story
from tests.factories import make_bank

LIST = "/dashboard/banks/kitchen/opinions/"


def test_a_reader_follows_an_opinion_to_the_sentence_that_somebody_said(page: Page, signed_in: SignIn) -> None:
    acme = signed_in(page, "viewer")
    bank = make_bank(acme, bank_id="kitchen", name="Kitchen agent")
    tell_story(acme, bank)
    make_opinion(acme, bank=bank, text="A voice that reads the steps matters more than photographs do.", confidence=0.8)
    page.goto(LIST)
    check_page(page, "opinions")
    page.get_by_role("link", name=BELIEF).click()
    expect(page.get_by_role("heading", name="Why the agent believes this")).to_be_visible()
    check_page(page, "opinion-read")
    page.get_by_role("link", name=re.compile("Step 1: Formed")).click()
    expect(page.locator("#step-1")).to_have_attribute("data-shown", "")
    expect(page.locator("#step-1 mark")).to_have_text(SENTENCE)
    page.locator("#step-1").get_by_role("link", name=re.compile("Read it in the conversation")).click()
    named = page.locator("[aria-current=true]")
    expect(named).to_contain_text("What you came for")
    expect(named).to_contain_text("I would pay once and gladly.")
    expect(page.get_by_text("You came from:")).to_contain_text(BELIEF)
    expect(named.get_by_role("link", name="This memory on the timeline")).to_be_visible()
    expect(named.get_by_role("link", name="The opinion on the timeline")).to_be_visible()
    mark = named.get_by_role("link", name=SENTENCE)
    mark.focus()
    memory = page.get_by_role("list", name="Memories from this message").first.get_by_role("link")
    expect(memory).to_have_attribute("data-lit", "")
    check_page(page, "conversation-from-an-opinion")
    mark.blur()
    expect(memory).not_to_have_attribute("data-lit", "")
    memory.hover()
    expect(mark).to_have_attribute("data-lit", "")
    mark.click()
    expect(page.get_by_role("region", name="Opinions that it moved")).to_contain_text("Formed from it")
    check_page(page, "memory-of-an-opinion")
    page.get_by_role("region", name="Opinions that it moved").get_by_role("link").click()
    expect(page).to_have_url(re.compile("#step-1$"))


def test_a_member_filters_and_retires_with_a_reason(page: Page, signed_in: SignIn, expected_statuses: set[int]) -> None:
    acme = signed_in(page, "member")
    bank = make_bank(acme, bank_id="kitchen", name="Kitchen agent")
    tell_story(acme, bank)
    other = make_opinion(acme, bank=bank, text="A voice that reads the steps matters more than photographs do.")
    page.goto(LIST)
    page.get_by_label("About a person or thing").fill("Fennel")
    expect(page.get_by_role("link", name=other.text)).to_be_hidden()
    expect(page).to_have_url(re.compile("entity="))
    page.get_by_role("link", name="Contradicted").click()
    page.get_by_role("link", name=BELIEF).click()
    expected_statuses.add(422)
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_text("Say why: it is recorded in the history.")).to_be_visible()
    check_page(page, "opinion-review")
    page.get_by_label("Reason", exact=True).fill("The shop decided otherwise.")
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_text("The opinion is retired.")).to_be_visible()
    page.goto(f"{LIST}?queue=retired")
    expect(page.get_by_role("link", name=BELIEF)).to_be_visible()
    check_page(page, "opinions-retired")


def test_a_bank_without_opinions(page: Page, signed_in: SignIn) -> None:
    make_bank(signed_in(page), bank_id="kitchen")
    page.goto(LIST)
    expect(page.get_by_text("This bank has no opinions yet.")).to_be_visible()
    check_page(page, "opinions-empty")
