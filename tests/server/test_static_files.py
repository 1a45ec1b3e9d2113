import hashlib
import re
from pathlib import Path

from django.test import override_settings

from memoryplatform.server.handler import RequestHandler
from tests.server.test_cors import send

ROOT = Path(__file__).resolve().parents[2]


@override_settings(SERVESTATIC_USE_FINDERS=True)
def test_the_pages_find_their_scripts_and_styles() -> None:
    handler = RequestHandler()
    page = send("GET", "/docs/api/", handler).text
    assets = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    assert len(assets) >= 3
    for path in assets:
        assert send("GET", path, handler).status_code == 200, path


def test_the_stylesheet_is_built_from_the_present_templates() -> None:
    """`npm run build` records the hash of its inputs. If this fails, run it and commit the result."""
    scripts = (file for file in (ROOT / "static").rglob("*.js") if "vendor" not in file.parts)
    styles, pages = (ROOT / "frontend").rglob("*.css"), (ROOT / "templates").rglob("*.html")
    inputs = [ROOT / "package-lock.json", *styles, *pages, *scripts]
    digest = hashlib.sha256()
    for path, file in sorted((file.relative_to(ROOT).as_posix(), file) for file in inputs):
        digest.update(f"{path}\n".encode() + file.read_bytes())
    assert (ROOT / "frontend/inputs.sha256").read_text().strip() == digest.hexdigest()
