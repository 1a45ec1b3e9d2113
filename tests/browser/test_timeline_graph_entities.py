"""The timeline, the graph and the entities of the demo bank, in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from memoryplatform.embedded.demo import BANK_ID
from memoryplatform.embedded.demo.seed import seed_demo
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn

BANK = f"/dashboard/banks/{BANK_ID}"


@pytest.fixture
def demo(page: Page, signed_in: SignIn) -> Page:
    tenant = signed_in(page, "member")
    seed_demo(tenant.id)
    return page


def test_the_timeline_forgets_what_was_said_later(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/")
    expect(demo.get_by_role("heading", name="Timeline")).to_be_visible()
    check_page(demo, "timeline")


def test_the_timeline_by_entity(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/?lanes=entity&known_at=2026-11-05T10:00:00Z")
    check_page(demo, "timeline-entity")


def test_the_graph(demo: Page) -> None:
    demo.goto(f"{BANK}/graph/")
    expect(demo.locator("#graph-canvas")).to_have_attribute("data-drawn", re.compile(r"\d+"))
    demo.wait_for_timeout(1000)
    check_page(demo, "graph")
    demo.get_by_role("link", name="Mira Osei").click()
    expect(demo.get_by_role("heading", name="Mira Osei")).to_be_visible()
    demo.wait_for_timeout(2000)
    check_page(demo, "graph-node")


def test_entities(demo: Page) -> None:
    demo.goto(f"{BANK}/entities/")
    check_page(demo, "entities")
    demo.get_by_role("link", name="Mira Osei").click()
    expect(demo.get_by_role("heading", name="Mira Osei")).to_be_visible()
    check_page(demo, "entity")
