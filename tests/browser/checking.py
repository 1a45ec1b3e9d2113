"""Accessibility, layout and screenshots of a page that a test has opened."""

import json
import os
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor/axe.min.js").read_text()
RULES = json.dumps(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
ASK = f"""axe.run({{runOnly: {RULES}, resultTypes: ["violations"]}}).then(found => found.violations.flatMap(
    rule => rule.nodes.map(node => `${{rule.id}}: ${{node.html}}\\n  ${{node.failureSummary}}`)))"""
SCROLLS_SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
TOO_WIDE = """[...document.querySelectorAll("body *")].filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5).map(one => one.outerHTML.slice(0, 120))"""
FOLDER = os.environ.get("BROWSER_SCREENSHOTS")
HEIGHT = 900
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
Theme = Literal["light", "dark"]
LOOKS: list[tuple[Theme, int, bool]] = [("light", 1600, True), ("light", 768, False), ("dark", 380, True)]
MORE_PICTURES: list[tuple[Theme, int]] = [("dark", 1600), ("light", 380)]


def check_page(page: Page, name: str) -> None:
    """Looks at a page in both themes and at three widths. Nothing may scroll sideways.

    axe-core looks at it light and wide, then dark and narrow, and may find no fault. The page is left in the light
    theme and at its own size. A theme that the reader has chosen stays in every look. Where the environment variable
    BROWSER_SCREENSHOTS names a folder, each look is kept there as a picture.
    """
    size = page.viewport_size
    faults = []
    for theme, width, asks_axe in LOOKS:
        turn(page, theme, width)
        take_screenshot(page, f"{name}-{theme}-{width}")
        found = find_violations(page) if asks_axe else []
        if page.evaluate(SCROLLS_SIDEWAYS):
            found.append(f"scrolls sideways: {page.evaluate(TOO_WIDE)}")
        faults += [f"{name}, {theme}, {width} px: {one}" for one in found]
    for theme, width in MORE_PICTURES if FOLDER else ():
        turn(page, theme, width)
        take_screenshot(page, f"{name}-{theme}-{width}")
    page.emulate_media(color_scheme="light")
    if size:
        page.set_viewport_size(size)
    assert not faults, "\n".join(faults)


def turn(page: Page, theme: Theme, width: int) -> None:
    """Waits for two frames, in which the page takes on the theme and the width."""
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.evaluate(DRAWN)


def find_violations(page: Page) -> list[str]:
    """Asks by the debugger, which a Content-Security-Policy does not bind. axe-core stays in a page that has it."""
    debugger = page.context.new_cdp_session(page)
    expression = ASK if page.evaluate("typeof axe === 'object'") else f"{AXE};{ASK}"
    asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    answer: dict[str, Any] = debugger.send("Runtime.evaluate", asked)
    debugger.detach()
    assert "exceptionDetails" not in answer, answer
    return list(answer["result"]["value"])


def take_screenshot(page: Page, name: str) -> None:
    if FOLDER:
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{FOLDER}/{name}.png", full_page=True)
