"""A bank, its memories and its conversations in a browser."""

import json

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from banks.models import Bank, UnitMetadata
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, change_bank
from tenants.models import Tenant
from tests.browser.checking import SCROLLS_SIDEWAYS, check_page
from tests.browser.conftest import SignIn
from tests.dashboard.conftest import TALK, find_unit, hear
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.llm_server.script import Reply
from tests.memory_factories import make_row
from tests.retrieval.memory import Memory

__all__ = ["llm"]

BANK = "/dashboard/banks/support/"
HOSTILE = ("user", "<img src=x onerror=alert(1)>", "<script>document.title = 'broken'</script> \u202e I like tea.")


@pytest.fixture
def support(page: Page, signed_in: SignIn) -> Bank:
    """The pages share nothing with the tests before: counts are cached for a minute."""
    cache.clear()
    tenant = signed_in(page, "owner")
    bank = hear(tenant, (*TALK, HOSTILE), tags=["art", "week"])
    change_bank(BankAccess(tenant.id), "support", BankChange(name="Juno", background="I am Juno. I like lakes."))
    return bank


def test_the_words_of_the_disposition_follow_the_slider(page: Page, support: Bank) -> None:
    page.goto(BANK)
    expect(page.get_by_role("heading", name="Juno")).to_be_visible()
    check_page(page, "bank")
    slider = page.get_by_label("Skepticism")
    slider.focus()
    slider.press("End")
    expect(page.locator("#disposition-text")).to_contain_text("You are very skeptical")
    expect(page.locator("#value-skepticism")).to_have_text("5")
    page.get_by_role("button", name="Save the disposition").click()
    expect(page.get_by_text("The disposition is saved.")).to_be_visible()
    expect(page.get_by_label("Skepticism")).to_have_value("5")


def test_the_background_is_edited_and_its_revisions_are_shown(page: Page, support: Bank) -> None:
    page.goto(BANK)
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Edit the background").fill("I am Juno. I like rivers.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("2 revisions").click()
    expect(page.locator("ins").first).to_be_visible()
    check_page(page, "bank-revisions")


def test_memories_are_searched_filtered_and_linked(page: Page, support: Bank) -> None:
    page.goto(f"{BANK}memories/")
    check_page(page, "memories")
    page.get_by_label("Search by words").type("sunr")
    expect(page.locator("#results tbody tr")).to_have_count(1)
    expect(page).to_have_url(f"{page.url.split('/dashboard')[0]}{BANK}memories/?q=sunr")
    page.get_by_text("More filters").click()
    page.get_by_label("Tag", exact=True).fill("art")
    expect(page).to_have_url(f"{page.url.split('/dashboard')[0]}{BANK}memories/?q=sunr&tag=art")
    check_page(page, "memories-filtered")
    page.reload()
    expect(page.locator("#results tbody tr")).to_have_count(1)
    page.get_by_title("Remove this filter").first.click()
    expect(page.locator("#results tbody tr").nth(1)).to_be_visible()
    page.goto(f"{BANK}memories/?q=kangaroo&network=nonsense")
    expect(page.get_by_text("No memory matches.")).to_be_visible()
    check_page(page, "memories-none")


def test_a_memory_leads_to_the_words_somebody_said(page: Page, support: Bank) -> None:
    page.goto(f"{BANK}memories/{find_unit(support, 'sunrise').id}/")
    expect(page.locator("mark")).to_contain_text("sunrise over the lake")
    check_page(page, "memory")
    page.get_by_role("link", name="Open the conversation").click()
    expect(page.get_by_role("heading", name="kitchen")).to_be_visible()
    expect(page.locator("mark", has_text="sunrise")).to_be_visible()
    check_page(page, "conversation")
    page.get_by_role("link", name="Conversations").first.click()
    page.get_by_role("searchbox", name="Search conversations").type("lak")
    expect(page.get_by_role("link", name="kitchen")).to_be_visible()
    check_page(page, "conversations")


def test_a_memory_is_edited_closed_restored_and_erased(page: Page, support: Bank) -> None:
    address = f"{BANK}memories/{find_unit(support, 'sunrise').id}/"
    page.goto(address)
    page.get_by_role("link", name="Edit").click()
    check_page(page, "memory-edit")
    page.get_by_label("Tags").fill("art, lake")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="lake", exact=True)).to_be_visible()
    page.get_by_role("link", name="End…").click()
    check_page(page, "memory-close")
    page.get_by_label("It never was true").check()
    page.get_by_label("Explanation").fill("A joke.")
    page.get_by_role("button", name="End this memory").click()
    state = page.get_by_role("button", name="never true")
    meaning = state.get_by_role("tooltip", include_hidden=True)
    expect(meaning).to_be_hidden()
    state.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(meaning).to_be_visible()
    check_page(page, "memory-state")
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()
    check_page(page, "memory-closed")
    page.get_by_role("button", name="Restore").click()
    page.locator("#confirm-dialog").get_by_role("button", name="Restore").click()
    expect(page.get_by_text("The memory is current again.")).to_be_visible()
    page.get_by_role("link", name="Erase…").click()
    expect(page.get_by_role("heading", name="Words that go")).to_be_visible()
    check_page(page, "memory-erase")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("The memory is erased")).to_be_visible()
    expect(page.get_by_text("sunrise")).to_have_count(0)


def test_a_memory_is_replaced_by_a_newer_text(page: Page, support: Bank) -> None:
    hear(Tenant(id=support.tenant_id), [("user", "Dele", "I live in Bristol.")], thread="office")
    page.goto(f"{BANK}memories/{find_unit(support, 'Bristol').id}/")
    page.get_by_role("link", name="Replace…").click()
    page.get_by_label("What is true now").fill("Dele: I live in Porto.")
    page.get_by_label("True since").fill("2026-06-01T00:00")
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    act = page.get_by_role("button", name="Replace")
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    expect(act).to_be_in_viewport(ratio=1)  # without scrolling
    expect(preview).to_contain_text("Dele lives in Bristol")
    check_page(page, "memory-replace")
    act.click()
    expect(page.get_by_text("This memory replaces the former one.")).to_be_visible()
    expect(page.get_by_role("region", name="Sources")).to_contain_text("owner@acme.example.com")
    check_page(page, "memory-replaced")
    page.get_by_role("region", name="Versions of this fact").get_by_role("link").click()
    page.get_by_role("button", name="Restore…").click()
    dialog = page.get_by_role("dialog", name="Restore this memory?")
    expect(dialog).to_contain_text("I live in Porto.")
    expect(dialog.get_by_label("End that memory too")).to_be_checked()
    check_page(page, "memory-restore")
    dialog.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("The one that replaced it has ended.")).to_be_visible()


def test_selected_memories_are_acted_on_together(page: Page, support: Bank) -> None:
    page.goto(f"{BANK}memories/")
    expect(page.get_by_role("button", name="End…")).to_be_hidden()
    page.get_by_label("Select all on this page").check()
    expect(page.get_by_role("button", name="End…")).to_be_visible()
    expect(page.locator("[data-count]")).to_have_text(str(page.locator("input[name=id]").count()))
    check_page(page, "memories-selected")
    page.get_by_role("button", name="End…").click()
    expect(page.get_by_role("heading", name="memories")).to_be_visible()


def test_what_memories_say_never_runs(page: Page, support: Bank) -> None:
    """The fixture fails on any error in the console, so a refused script would be noticed too."""
    for path in ("", "memories/", "conversations/", "conversations/?thread=kitchen"):
        page.goto(BANK + path)
        assert page.title() != "broken"
        assert page.locator("main img").count() == 0


def test_the_settings_of_a_bank(page: Page, support: Bank) -> None:
    page.goto(f"{BANK}settings/")
    page.get_by_label("Name", exact=True).last.fill("old facts")
    page.get_by_label("After days").fill("90")
    page.get_by_role("button", name="Add the rule").click()
    expect(page.get_by_text("old facts")).to_be_visible()
    check_page(page, "bank-settings")
    page.get_by_label("Type support to confirm").fill("support")
    page.get_by_role("button", name="Delete this bank").click()
    page.goto("/dashboard/")


def test_a_viewer_sees_no_act(page: Page, support: Bank, signed_in: SignIn) -> None:
    signed_in(page, "viewer")
    page.goto(f"{BANK}memories/{find_unit(support, 'sunrise').id}/")
    expect(page.get_by_role("link", name="Erase…")).to_have_count(0)
    check_page(page, "memory-viewer")
    page.goto(f"{BANK}settings/")
    expect(page.get_by_label("Extraction")).to_be_disabled()
    check_page(page, "bank-settings-viewer")


def test_what_to_remember_is_tried_before_it_is_saved(page: Page, support: Bank, llm: ScriptedLLM) -> None:
    bolt = {
        "text": "Bolt, Ana's dog, has taken Carprofen since Monday, June 3, 2024, and sleeps better.",
        "start": "2024-06-03",
        "entities": ["Bolt (PET)", "Carprofen (MEDICATION)", "Ana (PERSON)"],
        "relations": ["Bolt | takes | Carprofen | 2024-06-03 |"],
        "categories": ["treatment"],
        "turns": [1],
    }
    belief = {"text": "I believe that the dose is too high for Bolt.", "network": "opinion", "confidence": 0.6}
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [bolt, belief]}))
    page.goto(f"{BANK}settings/")
    page.get_by_label("Purpose").fill("Remember what animals take, and how they bear it.")
    page.get_by_label("Leave out").fill("Prices and small talk.")
    page.get_by_label("Types of entities").fill("MEDICATION: a drug that an animal takes\nPET: an animal with a name")
    page.get_by_label("Categories").fill("treatment: drugs and operations\nfood")
    page.get_by_label("Text to try").fill("Ana called: Bolt takes Carprofen since Monday and sleeps better.")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("2 facts, nothing kept.")).to_be_visible()
    page.get_by_text("Rests on").first.click()
    check_page(page, "bank-settings-tried")
    page.get_by_role("button", name="Save what to remember").click()
    expect(page.get_by_text("The bank remembers by these settings from now on.")).to_be_visible()
    expect(page.get_by_label("Categories")).to_have_value("treatment: drugs and operations\nfood")
    page.goto(f"{BANK}memories/?q=Carprofen")
    expect(page.get_by_text("No memory matches.")).to_be_visible()


def test_long_tags_names_and_values_make_no_page_wide(page: Page, support: Bank) -> None:
    memory = Memory(support)
    long = memory.entity("N" + "a" * 150, kind="PERSON", mention_count=9)
    unit = memory.unit("Somebody sails.", tags=["x" * 200], about=[long])
    make_row(UnitMetadata, memory.tenant, unit=unit, bank_id=support.id, key="k" * 60, value="v" * 400)
    opinion = memory.unit("I think that she sails.", network="opinion", confidence=0.7, about=[long])
    entity = f"entities/{long.id}/"
    pages = ["", "memories/", f"memories/{unit.id}/", f"memories/{unit.id}/edit/", entity, f"{entity}split/"]
    pages += ["entities/", f"opinions/{opinion.id}/", f"graph/?q={long.name}", f"recall/?query=sails&tags={'x' * 200}"]
    for width in (1280, 380):
        page.set_viewport_size({"width": width, "height": 900})
        for path in pages:
            page.goto(f"{BANK}{path}")
            assert not page.evaluate(SCROLLS_SIDEWAYS), (path, width)
