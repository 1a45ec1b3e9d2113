"""A graph of many nodes for the graph page, and how fast it is drawn:

    python -m tests.browser.large_graph http://127.0.0.1:8000 EMAIL PASSWORD

The page of the demo bank gets the invented nodes in place of its own. Prints the renderer of the browser, the seconds
until the graph is drawn, and the frames a second at rest, while it is dragged, and while it is zoomed.
"""

import json
import random
import shutil
import sys
from time import perf_counter

from playwright.sync_api import FloatRect, Page, sync_playwright

BANK = "/dashboard/banks/juno"  # the demo bank
DATA = "**/graph/data/**"
KINDS = ("PERSON", "ORGANIZATION", "LOCATION", "PRODUCT", "CONCEPT", "OTHER")
NETWORKS = ("world", "experience", "opinion", "observation")
SECONDS = 5  # of each movement
SETTLED = 12  # seconds after which the layout rests
RENDERER = """() => {
    const context = document.createElement("canvas").getContext("webgl");
    const names = context.getExtension("WEBGL_debug_renderer_info");
    return names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : "unknown";
}"""
COUNT = """() => {
    window.frames_drawn = 0;
    const count = () => { window.frames_drawn += 1; requestAnimationFrame(count); };
    requestAnimationFrame(count);
}"""


def make_graph(entities: int, memories: int) -> str:
    """The JSON of an invented graph: each memory mentions one to three entities, the first ones most often."""
    chance = random.Random(3)  # noqa: S311  # a drawing
    nodes: list[list[object]] = [
        [f"entity:{number}", f"Entity {number}", chance.choice(KINDS), chance.randint(1, 60)]
        for number in range(entities)
    ]
    edges: list[list[str]] = []
    for number in range(memories):
        nodes.append([f"memory:{number}", f"Sentence {number} about the city.", chance.choice(NETWORKS), 1])
        for _ in range(chance.randint(1, 3)):
            mentioned = min(int(chance.expovariate(6 / entities)), entities - 1)
            edges.append([f"memory:{number}", f"entity:{mentioned}", "mention", ""])
        edges.append([f"memory:{number}", f"memory:{chance.randrange(memories)}", "semantic", ""])
    return json.dumps({"nodes": nodes, "edges": edges})


def main(address: str, email: str, password: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_context(base_url=address, viewport={"width": 1600, "height": 900}).new_page()
        page.goto("/accounts/login/")
        page.get_by_label("E-mail").fill(email)
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/dashboard/")
        answer = make_graph(1_380, 3_500)
        page.route(DATA, lambda route: route.fulfill(body=answer, content_type="application/json"))
        began = perf_counter()
        page.goto(f"{BANK}/graph/?size=5000")
        page.locator("#graph-canvas[data-drawn]").wait_for()
        print(page.evaluate(RENDERER))  # noqa: T201
        print(f"drawn after {perf_counter() - began:.1f} s")  # noqa: T201
        page.wait_for_timeout(SETTLED * 1000)
        page.evaluate(COUNT)
        for movement in ("rest", "drag", "zoom"):
            print(f"{movement}: {measure(page, movement):.1f} frames a second")  # noqa: T201
            page.wait_for_timeout(1000)
        browser.close()


def measure(page: Page, movement: str) -> float:
    box = page.locator("#graph-canvas").bounding_box()
    assert box
    x, y = middle(box)
    page.mouse.move(x, y)
    if movement == "drag":
        page.mouse.down()
    page.evaluate("window.frames_drawn = 0")
    began, step = perf_counter(), 0
    while perf_counter() - began < SECONDS:
        step += 1
        if movement == "drag":
            page.mouse.move(x - 2 * (step % 80), y + step % 50)
        elif movement == "zoom":
            page.mouse.wheel(0, -120 if step % 20 < 10 else 120)
        page.wait_for_timeout(1 if movement == "drag" else 50)
    frames = int(page.evaluate("window.frames_drawn"))
    page.mouse.up()
    return frames / (perf_counter() - began)


def middle(box: FloatRect) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


if __name__ == "__main__":
    main(*sys.argv[1:])
