"""Hostile texts, huge values, and what changes while a page is open."""

import re
from uuid import uuid4

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from banks.models import Bank, Mention, UnitTag
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import PASSWORD
from tests.belief_factories import make_opinion
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.factories import make_bank
from tests.memory_factories import make_entity, make_episode, make_message, make_row, make_unit

BANK = "/dashboard/banks/support/"
HOSTILE = (
    "<script>document.title = 'broken'</script><img src=x onerror=\"document.title='broken'\"> "
    "[a link](javascript:document.title='broken') {{ 7|add:7 }} \u202eright to left\u202c & done"
)
HEBREW = "דנה כהן"
ARABIC = "ليلى حداد"
PAGES = ("", "memories/", "conversations/", "timeline/", "graph/", "entities/", "opinions/", "recall/", "chat/")


@pytest.fixture
def acme(page: Page, signed_in: SignIn) -> Tenant:
    return signed_in(page, "owner")


@pytest.fixture
def support(acme: Tenant) -> Bank:
    return make_bank(acme, bank_id="support", name="Juno")


def test_hostile_texts_stay_text_on_every_page(page: Page, acme: Tenant, support: Bank) -> None:
    support.name, support.background = HOSTILE[:100], HOSTILE
    with tenant_transaction(acme.id):
        support.save(update_fields=["name", "background"])
    entity = make_entity(acme, bank=support, name=HOSTILE, mention_count=1)
    unit = make_unit(acme, bank=support, text=HOSTILE, speaker=HOSTILE[:150], context=HOSTILE)
    make_row(Mention, acme, unit=unit, entity=entity, name=HOSTILE)
    make_row(UnitTag, acme, unit=unit, bank_id=support.id, tag=HOSTILE[:150])
    opinion = make_opinion(acme, bank=support, text=HOSTILE)
    episode = make_episode(acme, bank=support, thread=HOSTILE[:150], narrative=HOSTILE, message_count=1)
    thread = {"thread": HOSTILE[:150], "episode": episode}
    make_message(acme, bank=support, speaker=HOSTILE[:150], content=HOSTILE, **thread)
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    for path in (*PAGES, f"memories/{unit.id}/", f"opinions/{opinion.id}/", f"entities/{entity.id}/"):
        page.goto(BANK + path)
        expect(page.get_by_text("<script>document.title").first).to_be_attached()
        assert "broken" not in page.title().replace("'broken'", "")
        assert page.locator("a[href^='javascript:']").count() == 0
        assert page.locator("img[src=x]").count() == 0


def test_names_in_scripts_from_right_to_left(page: Page, acme: Tenant, support: Bank) -> None:
    entity = make_entity(acme, bank=support, name=HEBREW, mention_count=1)
    unit = make_unit(acme, bank=support, text=f"{ARABIC} lives in 12 Haifa Street.", speaker=HEBREW)
    make_row(Mention, acme, unit=unit, entity=entity, name=HEBREW)
    page.goto(f"{BANK}entities/")
    page.get_by_role("link", name=HEBREW).click()
    expect(page.get_by_role("heading", name=HEBREW)).to_be_visible()
    page.goto(f"{BANK}memories/{unit.id}/")
    text = page.locator("blockquote.memory-text")
    expect(text).to_contain_text(ARABIC)
    assert text.evaluate("one => getComputedStyle(one).unicodeBidi") == "plaintext"  # no text turns what is beside it
    check_page(page, "right-to-left")


def test_a_memory_of_a_megabyte(page: Page, acme: Tenant, support: Bank) -> None:
    unit = make_unit(acme, bank=support, text="word " * 200_000 + "END")
    page.goto(f"{BANK}memories/")
    page.get_by_role("link", name="word word").first.click()
    expect(page.get_by_role("link", name="Show all 1,000,003 characters")).to_be_visible()
    assert len(page.content()) < 200_000
    page.goto(f"{BANK}memories/{unit.id}/?all=1")
    assert page.locator("blockquote.memory-text").inner_text().endswith("END Show less")


def test_ten_thousand_tags(page: Page, acme: Tenant, support: Bank) -> None:
    unit = make_unit(acme, bank=support)
    with tenant_transaction(acme.id):
        tags = [UnitTag(unit=unit, bank_id=support.id, tag=f"tag-{number}") for number in range(10_000)]
        UnitTag.objects.for_tenant(acme.id).bulk_create(tags)
    for path in ("memories/", f"memories/{unit.id}/", "memories/?tag=tag-9999", "memories/?" + "tag=tag-1&" * 500):
        page.goto(BANK + path)
        expect(page.get_by_text("Alice moved to Lisbon.").first).to_be_visible()
        assert len(page.content()) < 300_000
        assert page.locator(".badge").count() < 200


def test_a_bank_that_is_deleted_while_its_page_is_open(
    page: Page, acme: Tenant, support: Bank, expected_statuses: set[int]
) -> None:
    make_unit(acme, bank=support)
    page.goto(f"{BANK}memories/")
    delete_bank_for_good(BankAccess(acme.id), "support")
    expected_statuses.add(404)
    page.get_by_label("Search by words").type("lisbon")
    expect(page.get_by_role("heading", name="This bank is not here")).to_be_visible()
    page.get_by_role("link", name="Back to the overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_a_row_that_is_not_there(page: Page, support: Bank, expected_statuses: set[int]) -> None:
    expected_statuses.add(404)
    for path, thing in (("memories", "memory"), ("entities", "entity"), ("opinions", "opinion")):
        page.goto(f"{BANK}{path}/{uuid4()}/")
        expect(page.get_by_role("heading", name=f"This {thing} is not here")).to_be_visible()
    page.get_by_role("link", name="Back to opinions").click()
    expect(page.get_by_role("heading", name="Opinions", exact=True)).to_be_visible()


def test_a_session_that_ends_in_the_middle_of_a_form(page: Page, acme: Tenant, support: Bank) -> None:
    page.goto(BANK)
    page.get_by_role("button", name="Edit").click()
    background = page.get_by_role("textbox", name="Edit the background")
    background.fill("I am Juno. I like rivers.")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_label("E-mail").fill(f"owner@{acme.slug}.example.com")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("dialog")).to_contain_text("Your input is here again")
    expect(background).to_be_visible()
    expect(background).to_have_value("I am Juno. I like rivers.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("I am Juno. I like rivers.").first).to_be_visible()
    page.reload()
    expect(page.get_by_text("Your input is here again")).to_have_count(0)


def test_a_session_that_ends_while_one_searches(page: Page, support: Bank) -> None:
    page.goto(f"{BANK}memories/")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_label("Search by words").type("lisbon")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("Your session has ended.")).to_be_visible()
    expect(page.locator("input[name=next]").first).to_have_value(re.compile(rf"^{BANK}memories/\?q=lisbon"))
