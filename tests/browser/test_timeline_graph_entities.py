"""The timeline, the graph and the entities of the demo bank, in a browser."""

import re
from contextlib import suppress
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import CDPSession, Locator, Page, Route, expect

from memoryplatform.embedded.demo import BANK_ID
from memoryplatform.embedded.demo.seed import seed_demo
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.browser.large_graph import DATA, make_graph

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
    move_slider(demo.get_by_role("slider", name="What the agent knew"), 30)
    expect(listed).to_have_count(0)
    expect(demo).to_have_url(re.compile("known_at="))
    demo.reload()  # the address holds the state
    expect(demo.locator("#timeline-chart .timeline-item")).not_to_have_count(0)
    expect(listed).to_have_count(0)
    demo.locator("[data-travel=known_at]").get_by_role("button", name="Known now").click()
    expect(listed).to_be_visible()


def test_every_place_of_a_slider_is_another_moment(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/")
    chart = demo.locator("#timeline-chart")
    demo.locator("[data-travel=as_of] summary").click()
    top = chart.bounding_box()
    for name in ("as_of", "known_at"):
        row = demo.locator(f"[data-travel={name}]")
        box = row.get_by_role("slider").bounding_box()
        assert box
        seen = []
        for share in (0.1, 0.5, 0.7, 0.95):
            demo.mouse.click(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
            seen.append(row.locator("[data-shown]").inner_text())
        assert len({*seen, "now", "at any time"}) == 6, seen
    expect(demo.locator("#timeline-status")).to_contain_text("known on")
    assert chart.bounding_box()["y"] == top["y"]  # type: ignore[index]  # both are drawn


def test_a_pinned_memory_vanishes_before_it_was_said(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/")
    demo.get_by_role("link", name=MOVE).click()
    demo.get_by_role("link", name="On the timeline").click()
    expect(demo).to_have_url(re.compile("memory="))
    card, mark = demo.get_by_role("article", name="The pinned memory"), demo.locator("#timeline-chart .timeline-pinned")
    expect(card).to_contain_text("Known and true now.")
    expect(card).to_contain_text(MOVE)
    expect(card).to_be_in_viewport(ratio=1)
    expect(mark).to_contain_text(MOVE)
    move_slider(demo.get_by_role("slider", name="What the agent knew"), 30)
    expect(card).to_contain_text("Not known yet on")
    expect(card).to_be_in_viewport(ratio=1)
    expect(mark).to_have_count(0)
    demo.reload()  # the address holds the pin
    expect(card).to_contain_text("Not known yet on")
    demo.locator("[data-travel=known_at]").get_by_role("button", name="Known now").click()
    demo.locator("[data-travel=as_of] summary").click()
    move_slider(demo.get_by_role("slider", name="What was true"), 30)
    expect(card).to_contain_text("Not true yet on")
    expect(mark).to_have_class(re.compile("timeline-hidden"))
    window = re.findall("from=[^&]+", demo.url)
    mark.hover()
    demo.mouse.wheel(0, 400)  # scrolls, and leaves the window as it is
    expect(demo.get_by_role("heading", name="Timeline", exact=True)).not_to_be_in_viewport()
    assert re.findall("from=[^&]+", demo.url) == window
    card.get_by_role("link", name="Show all memories").click()
    expect(card).to_have_count(0)
    expect(demo).not_to_have_url(re.compile("memory="))


def test_the_first_slider_hides_every_piece_of_evidence_before_it_was_said(demo: Page) -> None:
    """A newcomer comes from the sentence behind an opinion, and moves the slider that is seen first."""
    demo.goto(f"{BANK}/opinions/")
    opinions = [one.get_attribute("href") for one in demo.locator("#results li a.memory-text").all()]
    assert len(opinions) == 10
    card = demo.get_by_role("article", name="The pinned memory")
    for address in opinions:
        demo.goto(str(address))
        demo.locator(".belief-step").first.get_by_role("link", name="On the timeline").first.click()
        slider = demo.locator("[data-travel] [data-slider]:visible")
        expect(slider).to_have_count(1)
        expect(demo.locator("#timeline-chart .timeline-pinned")).to_be_visible()
        slider.evaluate("(one) => { one.value = one.min; one.dispatchEvent(new Event('input', {bubbles: true})); }")
        expect(card).to_contain_text("Not known yet on")
        expect(demo.locator("#timeline-chart .timeline-pinned")).to_have_count(0)
        card.get_by_role("link", name="Show what the agent knows now").click()
        expect(demo.locator("#timeline-chart .timeline-pinned")).to_be_visible()
        card.get_by_role("link", name="Show what the agent knew on").click()
        expect(card).to_contain_text("Not known yet on")


def test_the_chart_and_its_slider_are_seen_together_on_a_phone(demo: Page) -> None:
    demo.set_viewport_size({"width": 380, "height": 800})
    demo.goto(f"{BANK}/opinions/")
    demo.locator("#results li a.memory-text").first.click()
    demo.locator(".belief-step").first.get_by_role("link", name="On the timeline").first.click()
    slider = demo.get_by_role("slider", name="What the agent knew")
    before = slider.bounding_box()
    expect(demo.locator("#timeline-chart .timeline-pinned .timeline-dot")).to_be_in_viewport()
    move_slider(slider, 40)
    expect(demo.locator("#timeline-chart")).to_contain_text("not known yet")
    expect(slider).to_be_in_viewport()
    assert slider.bounding_box() == before  # it stays under the finger
    expect(demo.get_by_text("This memory: not known yet")).to_be_in_viewport()


def test_labels_of_the_timeline_stay_inside_the_chart(demo: Page) -> None:
    demo.set_viewport_size({"width": 1440, "height": 900})
    demo.goto(f"{BANK}/opinions/")
    demo.get_by_role("link", name=re.compile("^Working with Harbour Food Bank")).click()
    demo.locator(".belief-step").first.get_by_role("link", name="On the timeline").first.click()
    expect(demo.locator("#timeline-chart .timeline-pinned .timeline-label")).to_be_visible()
    cut = """[...document.querySelectorAll('.timeline-label')].filter((one) => {
        const box = one.getBoundingClientRect(), frame = one.closest('.timeline').getBoundingClientRect();
        return box.left < frame.left || box.right > frame.right;
    }).map((one) => one.textContent)"""
    assert demo.evaluate(cut) == []
    tiny = """() => {
        document.getElementById('timeline-chart').style.width = '4px';
        dispatchEvent(new Event('resize'));
        const bars = [...document.querySelectorAll('#timeline-chart rect')];
        return bars.filter((one) => Number(one.getAttribute('width')) < 0).length;
    }"""
    assert demo.evaluate(tiny) == 0


def test_no_label_of_the_timeline_covers_another_on_a_phone(demo: Page) -> None:
    demo.set_viewport_size({"width": 380, "height": 800})
    demo.goto(f"{BANK}/timeline/")
    covered = """[...document.querySelectorAll('.timeline-label')].map((one) => one.getBoundingClientRect()).filter(
        (one, place, all) => all.some((other, number) => number < place && one.left < other.right
            && other.left < one.right && Math.abs(one.top - other.top) < 5)).length"""
    earlier = demo.get_by_role("button", name="Earlier")
    demo.get_by_role("button", name="Week", exact=True).click()
    for _ in range(8):
        demo.wait_for_function(f"{covered} === 0")
        earlier.click()


def test_a_memory_without_a_known_start_looks_different_before_it_was_said(demo: Page) -> None:
    demo.set_viewport_size({"width": 1440, "height": 900})
    demo.goto(f"{BANK}/timeline/")
    legend, assumed = demo.locator("#timeline-assumed"), demo.locator("#timeline-chart .timeline-assumed")
    expect(legend).to_be_hidden()
    demo.locator("[data-travel=as_of] output").click(force=True)  # the words open the slider too
    move_slider(demo.get_by_role("slider", name="What was true"), 30)
    expect(legend).to_be_visible()
    expect(assumed).not_to_have_count(0)
    demo.locator("[data-travel=as_of]").get_by_role("button", name="At any time").click()
    expect(legend).to_be_hidden()
    expect(assumed).to_have_count(0)


def test_a_lane_that_is_too_full_for_words_says_so(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/")
    expect(demo.get_by_text(re.compile(r"^\d+ memories. Zoom in to read them.$")).first).to_be_visible()
    demo.get_by_role("button", name="Day", exact=True).click()
    expect(demo.locator("#timeline-chart .timeline-world .timeline-label")).not_to_have_count(0)


def test_times_are_never_seen_in_utc_after_a_move_of_the_slider(demo: Page) -> None:
    demo.goto(f"{BANK}/timeline/")
    demo.evaluate("""() => { window.seen = []; new MutationObserver(() => requestAnimationFrame(() => {
        seen.push(...[...document.querySelectorAll('#content time')].filter((one) => one.textContent.endsWith('UTC')));
    })).observe(document.getElementById('content'), {childList: true, subtree: true}); }""")
    move_slider(demo.get_by_role("slider", name="What the agent knew"), 30)
    expect(demo.locator("#timeline-status")).to_contain_text("known on")
    demo.wait_for_timeout(200)
    assert demo.evaluate("seen.length") == 0


def test_steps_keys_and_lanes_of_the_timeline(demo: Page) -> None:
    """A window of a few days, because axe-core takes long over hundreds of rows."""
    now = timezone.now()
    demo.goto(f"{BANK}/timeline/?from={now - timedelta(days=6):%Y-%m-%dT%H:%MZ}&to={now:%Y-%m-%dT%H:%MZ}")
    status = demo.locator("#timeline-status")
    everything = status.inner_text()
    check_page(demo, "timeline")
    demo.get_by_role("button", name="What the agent knew: before the previous change").click()
    expect(status).not_to_have_text(everything)
    demo.get_by_role("button", name="What the agent knew: the next change").click()
    expect(status).to_contain_text(everything.split(" ", maxsplit=1)[0])
    chart = demo.locator("#timeline-chart")
    chart.focus()
    before = demo.url
    chart.press("+")
    expect(demo).not_to_have_url(before)
    demo.get_by_role("button", name="By entity").click()
    expect(demo).to_have_url(re.compile("lanes=entity"))
    expect(demo.locator("#timeline-chart .timeline-title").first).not_to_have_text("World")


def click_node(page: Page, name: str) -> None:
    """Clicks where the node is drawn. A slow machine may still draw the size before, so a miss is tried again."""
    heading, canvas = page.get_by_role("heading", name=name), page.locator("#graph-canvas")
    for _ in range(10):
        place = page.evaluate("name => memoryGraph.find(name)", name)
        box = canvas.bounding_box()
        assert place
        assert box
        page.mouse.click(box["x"] + place["x"], box["y"] + place["y"])
        with suppress(AssertionError):
            expect(heading).to_be_visible(timeout=3000)
            return
    expect(heading).to_be_visible()


def test_a_node_of_the_graph_is_expanded_and_searched(demo: Page) -> None:
    demo.goto(f"{BANK}/graph/")
    canvas = demo.locator("#graph-canvas")
    expect(canvas).to_have_attribute("data-drawn", re.compile(r"\d+"))
    check_page(demo, "graph")
    click_node(demo, "Mira Osei")
    expect(demo).to_have_url(re.compile("node=entity"))
    check_page(demo, "graph-node")
    demo.get_by_role("button", name="Expand").click()
    expect(demo.locator("#toasts")).to_contain_text(re.compile("added|Everything around this node"))
    demo.get_by_role("searchbox", name="Find an entity or a memory").fill("paywell")
    expect(demo).to_have_url(re.compile(r"\?q=paywell$"))
    demo.locator("#graph-panel").get_by_role("link", name=re.compile("^Paywell")).click()
    expect(demo.get_by_role("heading", name="Paywell", exact=True)).to_be_visible()
    demo.get_by_label("Evidence").uncheck()
    expect(demo).to_have_url(re.compile("hide=evidence"))
    demo.get_by_role("link", name="1000").click()
    expect(demo).to_have_url(re.compile("node=entity.*hide=evidence.*size=1000"))
    expect(demo.get_by_role("heading", name="Paywell", exact=True)).to_be_visible()
    expect(demo.get_by_label("Evidence")).not_to_be_checked()
    demo.locator("#graph-panel li a").first.click()
    expect(demo.get_by_role("heading", name="Paywell")).to_have_count(0)
    expect(demo).to_have_url(re.compile("hide=evidence&size=1000"))


def test_enter_in_the_search_of_the_graph_opens_the_first_hit(demo: Page) -> None:
    demo.goto(f"{BANK}/graph/")
    expect(demo.locator("#graph-canvas")).to_have_attribute("data-drawn", re.compile(r"\d+"))
    search = demo.get_by_role("searchbox", name="Find an entity or a memory")
    search.fill("paywell")
    search.press("Enter")
    expect(demo.get_by_role("heading", name="Paywell", exact=True)).to_be_visible()
    demo.wait_for_timeout(500)  # the search while typing waits for 200 ms
    expect(demo.get_by_role("heading", name="Paywell", exact=True)).to_be_visible()
    box = demo.locator("#graph-canvas").bounding_box()
    assert box
    demo.wait_for_function("middle => Math.abs(memoryGraph.find('Paywell').x - middle) < 30", arg=box["width"] / 2)
    place = demo.evaluate("memoryGraph.find('Paywell')")
    demo.mouse.dblclick(box["x"] + place["x"], box["y"] + place["y"])
    expect(demo.locator("#toasts")).to_contain_text(re.compile("added|Everything around this node"))


def touch(debugger: CDPSession, *points: tuple[float, float]) -> None:
    """One finger touches these points in turn. A single point is a tap."""
    for number, (x, y) in enumerate(points):
        kind = "touchMove" if number else "touchStart"
        debugger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    debugger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_on_the_graph_scrolls_the_page_until_it_is_to_move_the_graph(demo: Page) -> None:
    demo.set_viewport_size({"width": 380, "height": 800})
    finger = demo.context.new_cdp_session(demo)
    finger.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    demo.goto(f"{BANK}/graph/")
    expect(demo.locator("#graph-canvas")).to_have_attribute("data-drawn", re.compile(r"\d+"))
    swipe = [(190.0, 700.0 - 10 * step) for step in range(15)]
    find = "() => memoryGraph.find('Mira Osei')"
    before = demo.evaluate(find)
    touch(finger, *swipe)
    demo.wait_for_function("scrollY > 50")
    assert demo.evaluate(find) == before
    demo.evaluate("scrollTo(0, 0)")
    demo.get_by_role("button", name="Move the graph").click()
    touch(finger, *swipe)
    demo.wait_for_function("y => memoryGraph.find('Mira Osei').y < y - 50", arg=before["y"])
    assert demo.evaluate("scrollY") == 0
    demo.get_by_role("button", name="Move the graph").click()
    demo.get_by_role("button", name="Show everything").click()
    demo.wait_for_function("y => Math.abs(memoryGraph.find('Mira Osei').y - y) < 1", arg=before["y"])
    box = demo.locator("#graph-canvas").bounding_box()
    assert box
    touch(finger, (box["x"] + before["x"], box["y"] + before["y"]))
    heading = demo.get_by_role("heading", name="Mira Osei")
    expect(heading).to_be_visible()
    expect(heading).not_to_be_in_viewport()
    check_page(demo, "graph-hint")
    demo.get_by_role("link", name="Mira Osei Show below").click()
    expect(heading).to_be_in_viewport()


def test_a_node_of_a_large_graph_is_found_under_the_mouse(demo: Page) -> None:
    """A large graph is drawn as points and lines."""
    answer = make_graph(400, 1200)
    demo.route(DATA, lambda route: route.fulfill(body=answer, content_type="application/json"))
    demo.emulate_media(reduced_motion="reduce")  # it is drawn once the layout rests
    demo.goto(f"{BANK}/graph/?size=5000")
    canvas = demo.locator("#graph-canvas")
    expect(canvas).to_have_attribute("data-drawn", "1600", timeout=20_000)
    place, box = demo.evaluate("memoryGraph.find('Entity 1')"), canvas.bounding_box()
    assert box
    demo.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
    expect(canvas).to_have_class(re.compile("cursor-pointer"))


def test_a_kind_can_be_hidden_before_the_graph_is_drawn(demo: Page) -> None:
    waiting: list[Route] = []
    demo.route("**/pages/graph.js", lambda route: waiting.append(route))
    with demo.expect_request("**/pages/graph.js"):
        demo.goto(f"{BANK}/graph/?hide=mention", wait_until="commit")
    expect(demo.get_by_label("Mention")).not_to_be_checked()
    demo.get_by_label("Evidence").uncheck()
    for one in waiting:
        one.continue_()
    expect(demo).to_have_url(re.compile("hide=evidence%2Cmention"))


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
