"""The timeline, the graph and the entities of the demo bank, in a browser."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from memoryplatform.embedded.demo import BANK_ID
from memoryplatform.embedded.demo.seed import seed_demo
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn

BANK = f"/dashboard/banks/{BANK_ID}"
MOVE = "Mira Osei lives in Lisbon."


@pytest.fixture
def demo(page: Page, signed_in: SignIn) -> Page:
    tenant = signed_in(page, "member")
    seed_demo(tenant.id)
    return page


def move_slider(slider: Locator, days_ago: int) -> None:
    seconds = (timezone.now() - timedelta(days=days_ago)).timestamp()
    slider.evaluate("(one, at) => { one.value = at; one.dispatchEvent(new Event('input', {bubbles: true})); }", seconds)


def test_a_memory_vanishes_before_it_was_said(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/")
    listed = demo.get_by_role("link", name=MOVE)
    expect(listed).to_be_visible()
    expect(demo.locator("#timeline-chart .timeline-item")).not_to_have_count(0)
    check_page(demo, "timeline")
    known = demo.get_by_role("slider", name="What we knew on")
    move_slider(known, 30)
    expect(listed).to_have_count(0)
    expect(demo).to_have_url(re.compile("known_at="))
    check_page(demo, "timeline-known")
    demo.reload()  # the address holds the state
    expect(listed).to_have_count(0)
    demo.locator("[data-travel=known_at]").get_by_role("button", name="Now").click()
    expect(listed).to_be_visible()


def test_steps_keys_and_lanes_of_the_timeline(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/")
    status = demo.locator("#timeline-status")
    everything = status.inner_text()
    before = demo.get_by_role("button", name="What we knew on: before the previous change")
    before.click()
    expect(status).not_to_have_text(everything)
    demo.get_by_role("button", name="What we knew on: the next change").click()
    expect(status).to_contain_text(everything.split(" ", maxsplit=1)[0])
    chart = demo.locator("#timeline-chart")
    chart.focus()
    chart.press("+")
    expect(demo).to_have_url(re.compile("from="))
    demo.get_by_role("button", name="By entity").click()
    expect(demo.locator("#timeline-chart .timeline-title").first).to_have_text("Fennel")
    expect(demo).to_have_url(re.compile("lanes=entity"))
    check_page(demo, "timeline-by-entity")


def test_a_node_of_the_graph_is_expanded_and_searched(demo: Page) -> None:
    demo.goto(f"{BANK}/graph/")
    canvas = demo.locator("#graph-canvas")
    expect(canvas).to_have_attribute("data-drawn", re.compile(r"\d+"))
    check_page(demo, "graph")
    key = demo.evaluate("memoryGraph.graph.findNode((key, data) => data.label === 'Mira Osei')")
    place, box = demo.evaluate("key => memoryGraph.find(key)", key), canvas.bounding_box()
    assert box is not None
    demo.mouse.click(box["x"] + place["x"], box["y"] + place["y"])
    expect(demo.get_by_role("heading", name="Mira Osei")).to_be_visible()
    expect(demo).to_have_url(re.compile("node=entity"))
    check_page(demo, "graph-node")
    demo.get_by_role("searchbox", name="Find an entity or a memory").fill("paywell")
    demo.locator("#graph-panel").get_by_role("link", name=re.compile("^Paywell")).click()
    expect(demo.get_by_role("heading", name="Paywell")).to_be_visible()
    demo.get_by_label("Evidence").uncheck()
    expect(demo).to_have_url(re.compile("hide=evidence"))


def test_an_entity_is_found_merged_and_restored(demo: Page) -> None:
    demo.goto(f"{BANK}/entities/")
    check_page(demo, "entities")
    demo.get_by_role("searchbox", name="Search by name or alias").fill("mira")
    expect(demo.get_by_role("link", name="Fennel")).to_have_count(0)
    demo.get_by_role("link", name="Mira Osei").click()
    check_page(demo, "entity")
    demo.get_by_role("link", name="Merge").click()
    demo.get_by_role("searchbox", name="Search the entity that goes away").fill("harold")
    demo.get_by_role("button", name="Search", exact=True).last.click()
    demo.get_by_role("link", name="Preview the merge of Harold").click()
    expect(demo.get_by_text("Nothing has changed yet.")).to_be_visible()
    check_page(demo, "entity-merge")
    demo.get_by_role("button", name="Merge", exact=True).click()
    expect(demo.get_by_text("Harold is merged.")).to_be_visible()
    demo.get_by_role("button", name="Undo the merge").click()
    expect(demo.get_by_role("heading", name="Harold")).to_be_visible()
    demo.get_by_role("link", name="Split").click()
    check_page(demo, "entity-split")
