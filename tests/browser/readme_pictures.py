"""Takes the pictures of README.md from a running service with the demo bank:

    python -m tests.browser.readme_pictures http://127.0.0.1:8000 EMAIL PASSWORD

Chromium encodes the pictures. The one of the recall playground is an animation: its frames are joined here, in the
container format of WebP (https://developers.google.com/speed/webp/docs/riff_container).
"""

import base64
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium")
FOLDER = Path(__file__).resolve().parents[2] / "static/screenshots"
BANK = "/dashboard/banks/juno"  # the demo bank
WIDTH, HEIGHT = 1280, 840  # of the window, in pixels
PICTURE_WIDTH = 1000
QUALITY = 0.72
FRAME_MILLISECONDS = 2200
QUESTION = "Why did Mira move?"
OPINION = "The leftover planner is worth telling friends about"
ENCODE = """async ([png, width, quality]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = Math.round(image.height * width / image.width);
    const context = canvas.getContext("2d", {alpha: false});
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


def main(address: str, email: str, password: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        options = {"width": WIDTH, "height": HEIGHT}
        page = browser.new_context(base_url=address, viewport=options, reduced_motion="reduce").new_page()  # type: ignore[arg-type]
        encoder = browser.new_page()  # an empty page: it has no policy that forbids data: images
        page.goto("/accounts/login/")
        page.get_by_label("E-mail").fill(email)
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/dashboard/")
        for name, path in {
            "overview": "/dashboard/",
            "timeline": f"{BANK}/timeline/",
            "graph": f"{BANK}/graph/",
        }.items():
            page.goto(path, wait_until="networkidle")
            page.wait_for_timeout(3000)  # the layout of the graph comes to rest
            write(name, take(page, encoder))
        page.goto(f"{BANK}/opinions/", wait_until="networkidle")
        page.get_by_role("link", name=OPINION).click()
        page.wait_for_load_state("networkidle")
        write("opinion", take(page, encoder))
        write("recall", animate(take_recall(page, encoder)))
        browser.close()


def take_recall(page: Page, encoder: Page) -> list[bytes]:
    """The empty playground, a question, its results, the scores of one, how they were found, two settings, the code."""
    frames = []
    page.goto(f"{BANK}/recall/", wait_until="networkidle")
    frames.append(take(page, encoder))
    query = page.get_by_role("searchbox", name="Query")
    query.fill(QUESTION)
    query.press("Enter")
    page.get_by_text("How they were found").wait_for()
    page.wait_for_load_state("networkidle")
    frames.append(take(page, encoder))
    page.get_by_text("Scores, step by step").first.click()
    frames.append(take(page, encoder))
    page.get_by_text("How they were found").click()
    frames.append(take(page, encoder))
    page.goto(f"{BANK}/recall/?query={QUESTION}&budget=mid&max_tokens=4096&compare=on&b-budget=low&b-max_tokens=400")
    page.wait_for_load_state("networkidle")
    frames.append(take(page, encoder))
    page.get_by_role("button", name="Copy as code").click()
    frames.append(take(page, encoder))
    return frames


def take(page: Page, encoder: Page) -> bytes:
    png = base64.b64encode(page.screenshot()).decode()
    encoded = base64.b64decode(encoder.evaluate(ENCODE, [png, PICTURE_WIDTH, QUALITY]))
    return chunk(b"RIFF", b"WEBP" + find_image(encoded))


def find_image(picture: bytes) -> bytes:
    """The chunk with the pixels. Chromium adds a colour profile, which the animation can't take."""
    at = 12  # behind the head of the file
    while picture[at : at + 4] != b"VP8 ":
        length = int.from_bytes(picture[at + 4 : at + 8], "little")
        at += 8 + length + length % 2
    length = int.from_bytes(picture[at + 4 : at + 8], "little")
    return picture[at : at + 8 + length + length % 2]


def write(name: str, picture: bytes) -> None:
    (FOLDER / f"{name}.webp").write_bytes(picture)
    print(f"{name}.webp: {len(picture):,} bytes")  # noqa: T201  # a command


def animate(frames: list[bytes]) -> bytes:
    """One WebP file that shows the frames in turn, for ever."""
    size = b"".join(number.to_bytes(3, "little") for number in read_size(frames[0]))
    parts = [chunk(b"VP8X", b"\x02\0\0\0" + size), chunk(b"ANIM", b"\xff\xff\xff\xff\0\0")]
    duration = FRAME_MILLISECONDS.to_bytes(3, "little")
    parts += [chunk(b"ANMF", bytes(6) + size + duration + b"\x02" + frame[12:]) for frame in frames]
    return chunk(b"RIFF", b"WEBP" + b"".join(parts))


def read_size(picture: bytes) -> tuple[int, int]:
    """Width and height, each less one, of a lossy picture: 14 bits each, behind the start code of its first frame."""
    start = picture.index(b"\x9d\x01\x2a") + 3
    width, height = (int.from_bytes(picture[at : at + 2], "little") & 0x3FFF for at in (start, start + 2))
    return width - 1, height - 1


def chunk(name: bytes, content: bytes) -> bytes:
    return name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)


if __name__ == "__main__":
    main(*sys.argv[1:])
