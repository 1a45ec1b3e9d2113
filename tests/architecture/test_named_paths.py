"""Every path that the documentation names exists."""

import re
from pathlib import Path

import pytest

from tests.architecture.test_layers import MAY_IMPORT, ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMED = re.compile(rf"`((?:{'|'.join([*MAY_IMPORT, 'tests', 'benchmarks', 'sdk', 'templates'])})/[\w./-]*)")


def list_paths(page: Path) -> list[str]:
    return NAMED.findall(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_path_that_a_page_names_exists(page: Path) -> None:
    assert [path for path in list_paths(page) if not (ROOT / path.rstrip(".")).exists()] == []


def test_pages_name_paths() -> None:
    assert sum(len(list_paths(page)) for page in PAGES) > 100
