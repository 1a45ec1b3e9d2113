"""The documentation: every page, its links, its search."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from pytest_django.fixtures import Settings

from memoryplatform.dashboard.documentation import Library, Page, read_library

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = read_library(ROOT / "docs")
WITHOUT_PAGES = ("/v1/", "/health", "/admin/", "/static/", "/accounts/", "/mcp")


class Links(HTMLParser):
    """The links and the ids of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.ids: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.targets.add(given["href"] or "")
        if given.get("id"):
            self.ids.append(given["id"] or "")


def read(client: Client, path: str) -> str:
    page = client.get(path)
    assert page.status_code == 200, path
    return page.content.decode()


def test_every_markdown_file_of_the_docs_is_a_page() -> None:
    files = {f"docs/{file.relative_to(ROOT / 'docs').as_posix()}" for file in (ROOT / "docs").rglob("*.md")}
    assert files <= {page.path for page in LIBRARY.pages.values()}


def test_no_link_is_broken(client: Client) -> None:
    """Links to pages and their sections. An address outside the documentation has to begin with a known part."""
    seen = {"/docs/": Links(read(client, "/docs/"))}
    seen |= {f"/docs/{slug}/": Links(read(client, f"/docs/{slug}/")) for slug in LIBRARY.pages}
    broken = []
    for page, links in seen.items():
        for target in links.targets:
            path, _, anchor = target.partition("#")
            path = path or page
            if path.startswith(("https://", "http://")) or path in {"/", "/docs/api/"}:
                continue
            if path.startswith(WITHOUT_PAGES):
                continue
            if path not in seen or (anchor and anchor not in seen[path].ids):
                broken.append((page, target))
    assert broken == []


def test_ids_are_unique_on_a_page(client: Client) -> None:
    for slug in LIBRARY.pages:
        ids = Links(read(client, f"/docs/{slug}/")).ids
        assert len(ids) == len(set(ids)), slug


def test_a_page_has_its_contents_and_neighbours(client: Client) -> None:
    page = read(client, "/docs/recall/")
    assert '<h2 id="point-in-time">' in page
    assert '<a href="#point-in-time">' in page
    assert re.search(r'rel="prev" href="/docs/retain/"', page)
    assert re.search(r'rel="next" href="/docs/reflect/"', page)
    assert 'href="/docs/recall/" aria-current="page"' in page


def test_the_first_and_the_last_page_have_one_neighbour(client: Client) -> None:
    first, *_, last = LIBRARY.pages
    assert 'rel="prev"' not in read(client, f"/docs/{first}/")
    assert 'rel="next"' not in read(client, f"/docs/{last}/")


def test_code_is_highlighted_with_classes(client: Client) -> None:
    page = read(client, "/docs/sdk/")
    assert '<span class="kn">from</span>' in page


def test_the_changelog_is_a_page(client: Client) -> None:
    assert "Keep a Changelog" in read(client, "/docs/changelog/")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("legal hold", "/docs/data-rights/#legal-hold"),
        ("LEGAL-HOLD", "/docs/data-rights/#legal-hold"),
        ("point in time", "/docs/recall/#point-in-time"),
        ("webhook", "/docs/webhooks/"),
        ("dependenc", "/docs/dependencies/"),
        ("what is a legal hold", "/docs/data-rights/#legal-hold"),
    ],
)
def test_search_finds_the_section(client: Client, query: str, first: str) -> None:
    page = read(client, f"/docs/search/?q={query}")
    results = page.partition('<ol class="doc-results">')[2]
    assert re.findall(r'href="([^"]+)"', results)[0] == first
    assert "<mark>" in results


@pytest.mark.parametrize("query", ["zzyzx", "legal zzyzx", "\0", "<script>alert(1)</script>", "&", "(((", "a" * 5000])
def test_a_search_for_nonsense_finds_nothing_and_says_so(client: Client, query: str) -> None:
    page = client.get("/docs/search/", {"q": query}).content.decode()
    assert "<script>alert" not in page
    assert "Nothing in the docs has" in page


def test_an_empty_search_explains_itself(client: Client) -> None:
    assert "Type a word or two" in read(client, "/docs/search/")


def test_marks_in_an_excerpt_are_the_only_markup() -> None:
    library = Library({"Start": [Page("docs/x.md", "# Tags\n\nUse <b>bold</b> & more bold.\n", "")]})
    (result,) = library.search("bold")
    assert result.excerpt == "Use &lt;b&gt;<mark>bold</mark>&lt;/b&gt; &amp; more <mark>bold</mark>."


def test_html_and_dangerous_links_of_a_file_are_escaped() -> None:
    page = Page("docs/x.md", "# A\n\n<script>alert(1)</script> [x](javascript:alert(1)) [y](../x.sh)\n", "")
    assert "<script" not in page.html
    assert 'href="javascript' not in page.html


def test_comments_in_code_are_no_headings() -> None:
    page = Page("docs/x.md", "# A\n\n```bash\n# not a heading\n```\n\n## B\n\n## B\n", "")
    assert [(one.level, one.title, one.anchor) for one in page.sections] == [
        (1, "A", "a"),
        (2, "B", "b"),
        (2, "B", "b-1"),
    ]
    assert page.html.count("<h2") == 2


def test_columns_are_aligned_by_classes() -> None:
    page = Page("docs/x.md", "# A\n\n| a |\n|---:|\n| 1 |\n", "")
    assert 'class="text-align-right"' in page.html
    assert "style=" not in page.html


@pytest.mark.parametrize(
    "path", ["/docs/nowhere/", "/docs/../settings/", "/docs/adr/", "/docs/recall.md/", "/docs/README/"]
)
def test_an_unknown_page_is_a_page_that_says_so(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "The docs have no page" in answer.content.decode()


@pytest.mark.parametrize("path", ["/docs/", "/docs/recall/"])
def test_an_installation_without_the_folder_says_so(
    client: Client, settings: Settings, tmp_path: Path, path: str
) -> None:
    settings.DOCS_DIR = tmp_path / "docs"
    answer = client.get(path)
    assert answer.status_code == 404
    assert "has no folder <code>docs/</code>" in answer.content.decode()
    assert client.get("/docs/search/?q=bank").status_code == 200


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/docs", "/docs/"),
        ("/v1/docs", "/docs/api/"),
        ("/v1/redoc", "/docs/api/"),
        ("/docs/api/reference/", "/docs/api/"),
    ],
)
def test_former_addresses_lead_on(client: Client, old: str, new: str) -> None:
    assert client.get(old).headers["Location"] == new


def test_the_image_has_the_docs() -> None:
    """The Dockerfile copies the whole tree, less what .dockerignore names."""
    left_out = (ROOT / ".dockerignore").read_text().split()
    assert not {"docs", "docs/", "*.md", "**/*.md", "README.md", "CHANGELOG.md"} & set(left_out)
    assert "COPY . ." in (ROOT / "Dockerfile").read_text()


def test_the_pictures_of_a_page_are_static_files(client: Client) -> None:
    page = client.get("/docs/quickstart/").content.decode()
    pictures = re.findall(r'<img src="/static/([^"]+)"', page)
    assert "screenshots/recall.webp" in pictures
    assert all(finders.find(one) for one in pictures)
