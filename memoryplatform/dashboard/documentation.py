"""The documentation as pages: Markdown files, read once per process, with a side bar and a search.

The pages are every file of `settings.DOCS_DIR`, and the files beside that folder that GROUPS names. GROUPS is the order
of the side bar. A file of DOCS_DIR that no group names stands at the end of Reference.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from urllib.parse import urlsplit

from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from banks.text_index.stop_words import STOP_WORDS

GROUPS = {
    "Start": (
        "README.md docs/tutorial.md docs/dashboard.md docs/sdk.md docs/cli.md docs/mcp.md docs/openai-proxy.md "
        "docs/adapters.md docs/frameworks.md docs/migrating.md"
    ),
    "Concepts": (
        "docs/banks.md docs/retain.md docs/recall.md docs/reflect.md docs/protection.md docs/glossary.md docs/papers.md"
    ),
    "API": "docs/api.md docs/webhooks.md docs/export.md docs/oauth.md docs/mem0.md docs/compatibility.md",
    "Operate": (
        "docs/operating.md docs/scaling.md docs/configuration.md docs/providers.md docs/embedding-models.md "
        "docs/memory-embedder.md docs/memory-reranker.md "
        "docs/accounts.md docs/plans.md docs/tenancy.md docs/security.md docs/data-rights.md docs/backup.md "
        "docs/verify.md docs/upgrading.md"
    ),
    "Reference": (
        "CHANGELOG.md docs/benchmarks.md docs/benchmarks-log.md docs/architecture.md docs/recipes-for-changes.md "
        "docs/dependencies.md timewords/README.md CONTRIBUTING.md SECURITY.md"
    ),
    "Decisions": "",  # every file of docs/adr/
}
DECISIONS = "docs/adr"
SLUGS = {
    "SECURITY.md": "security-policy",
    "README.md": "quickstart",
    "docs/api.md": "http-api",
    "timewords/README.md": "timewords",
}  # api/ is the reference
TITLES = {"README.md": "Quickstart", "timewords/README.md": "Dates in text"}
DEEPEST_LISTED = 3  # level of headings in a table of contents
MOST_WORDS, MOST_RESULTS, EXCERPT = 8, 30, 180  # the last one in characters
WORD = re.compile(r"[^\W_]+")
HEADING = re.compile(r"(#{1,6}) (.*)")
SUMMARY = re.compile(
    r"^\| (\[.+\.md\)) \| (.+) \|$", re.MULTILINE
)  # a row in README.md: links to pages, and their subject


def highlight_code(code: str, language: str, _attributes: str) -> str:
    """A code block with the class names of Pygments. It can be focused, because it may scroll."""
    try:
        marked = highlight(code, get_lexer_by_name(language), HtmlFormatter(nowrap=True))
    except ClassNotFound:
        marked = escape(code)
    return f'<pre class="code" tabindex="0"><code>{marked}</code></pre>'


MARKDOWN = MarkdownIt("commonmark", {"html": False, "highlight": highlight_code}).enable("table")
MARKDOWN.add_render_rule("table_open", lambda *_: '<div class="doc-table" tabindex="0"><table>')
MARKDOWN.add_render_rule("table_close", lambda *_: "</table></div>")


@dataclass(frozen=True)
class Section:
    """A heading and the text below it, up to the next heading."""

    level: int
    title: str
    anchor: str
    text: str

    @cached_property
    def words(self) -> str:
        return join_words(f"{self.title} {self.text}")


@dataclass(frozen=True)
class Page:
    path: str  # of the file, from the folder that holds docs/
    source: str
    summary: str  # empty if README.md has none

    @property
    def slug(self) -> str:
        return make_slug(self.path)

    @cached_property
    def title(self) -> str:
        """The first heading, up to a colon: "Tutorial: an agent that remembers" → "Tutorial"."""
        first = self.source.partition("\n")[0].lstrip("# ").replace("`", "")
        return TITLES.get(self.path) or first.partition(":")[0]

    @cached_property
    def tokens(self) -> list[Token]:
        tokens = MARKDOWN.parse(self.source)
        openings = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
        for place, section in zip(openings, self.sections, strict=True):
            tokens[place].attrSet("id", section.anchor)
            children = tokens[place + 1].children
            if section.level > 1 and children is not None:
                children += build_anchor(section)
        for place, token in enumerate(tokens):
            if token.type == "th_open" and not tokens[place + 1].content:  # an empty cell heads nothing
                token.tag = tokens[place + 2].tag = "td"
            if alignment := token.attrs.pop("style", None):  # of a table's column; the pages allow no inline styles
                token.attrSet("class", str(alignment).replace(":", "-"))
            for child in token.children or ():
                if child.type == "link_open":
                    child.attrSet("href", resolve_link(self.path, str(child.attrs["href"])))
                if child.type == "image":  # a file below static/
                    child.attrSet("src", static(str(child.attrs["src"]).rpartition("static/")[2]))
        return tokens

    @cached_property
    def html(self) -> SafeString:
        return mark_safe(str(MARKDOWN.renderer.render(self.tokens, MARKDOWN.options, {})))  # noqa: S308  # `html: False` escapes

    @cached_property
    def sections(self) -> list[Section]:
        return list(split_sections(self.source))

    @property
    def contents(self) -> list[Section]:
        return [one for one in self.sections if 1 < one.level <= DEEPEST_LISTED]


@dataclass(frozen=True)
class Result:
    page: Page
    section: Section
    excerpt: SafeString


@dataclass(frozen=True)
class Library:
    groups: dict[str, list[Page]]

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every page by its slug, in the order of the side bar."""
        return {page.slug: page for pages in self.groups.values() for page in pages}

    def find_neighbours(self, page: Page) -> tuple[Page | None, Page | None]:
        order = list(self.pages.values())
        place = order.index(page)
        return (order[place - 1] if place else None), (order[place + 1] if place + 1 < len(order) else None)

    def search(self, query: str) -> list[Result]:
        """The sections in which every word of the query begins a word, best first. Stop words count only alone."""
        given = list_words(query)
        words = ([word for word in given if word not in STOP_WORDS] or given)[:MOST_WORDS]
        scored = [
            (score, page, section)
            for page in self.pages.values()
            for section in page.sections
            if (score := score_section(words, page, section))
        ]
        scored.sort(key=lambda one: -one[0])  # equal scores keep the order of the side bar
        return [Result(page, section, cut_excerpt(section, words)) for _, page, section in scored[:MOST_RESULTS]]


@cache
def read_library(docs: Path) -> Library:
    """Every page of an installation. Without the folder there are none."""
    root = docs.parent
    found = [f"docs/{file.relative_to(docs).as_posix()}" for file in sorted(docs.rglob("*.md"))]
    named = {group: paths.split() for group, paths in GROUPS.items()}
    listed = {path for paths in named.values() for path in paths}
    for path in found:
        if path not in listed:
            named["Decisions" if path.startswith(f"{DECISIONS}/") else "Reference"].append(path)
    files = {path: root / path for paths in named.values() for path in paths} | {
        path: docs / path.removeprefix("docs/") for path in found
    }
    summaries = read_summaries(root / "README.md")
    groups = {
        group: [Page(path, files[path].read_text(), summaries.get(path, "")) for path in paths if files[path].is_file()]
        for group, paths in named.items()
    }
    return Library({group: pages for group, pages in groups.items() if pages} if found else {})


def read_summaries(readme: Path) -> dict[str, str]:
    rows = SUMMARY.findall(readme.read_text()) if readme.is_file() else []
    own = {"README.md": "install it, start it, and try it for five minutes"}
    return own | {path: text.replace("`", "") for links, text in rows for path in re.findall(r"\]\((.+?)\)", links)}


def make_slug(path: str) -> str:
    return SLUGS.get(path) or path.removeprefix("docs/").removesuffix(".md").lower()


def resolve_link(page: str, target: str) -> str:
    """The address of the page that a link between Markdown files means. Other targets stay as they are."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc or not parts.path:
        return target
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), parts.path))
    if path == DECISIONS:
        return f"{reverse('docs')}#decisions"
    if not path.endswith(".md"):
        return target
    return reverse("docs_page", args=[make_slug(path)]) + (f"#{parts.fragment}" if parts.fragment else "")


def build_anchor(section: Section) -> list[Token]:
    """A link from a heading to itself."""
    attributes: dict[str, str | int | float] = {
        "href": f"#{section.anchor}",
        "class": "doc-anchor",
        "aria-label": f"Link to {section.title}",
    }
    return [
        Token("link_open", "a", 1, attrs=attributes),
        Token("text", "", 0, content="#"),
        Token("link_close", "a", -1),
    ]


def split_sections(source: str) -> Iterator[Section]:
    """The sections of a text. Anchors are those of GitHub, so that links work in both places."""
    seen: Counter[str] = Counter()
    level, title, lines, is_code = 1, "", list[str](), False
    for line in [*source.splitlines(), "# "]:  # the last one ends the last section
        is_code ^= line.lstrip().startswith("```")
        heading = None if is_code else HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        if title:
            anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            unique = f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor
            seen[anchor] += 1
            yield Section(level, title, unique, strip_marks("\n".join(lines)))
        level, title, lines = len(heading[1]), strip_marks(heading[2]), []


def strip_marks(text: str) -> str:
    """The words of a Markdown text: links without their targets, tables and lists without their signs."""
    text = re.sub(r"^ *(?:- |\d+\. )", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text), flags=re.MULTILINE)
    return " ".join(re.sub(r"\|[-| ]*", " ", re.sub(r"[*`]", "", text)).split())


def list_words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def join_words(text: str) -> str:
    return f" {' '.join(list_words(text))}"


def score_section(words: Sequence[str], page: Page, section: Section) -> int:
    """Zero if a word is missing. Words count more in a heading or in the page's title, and side by side."""
    if not words:
        return 0
    title, heading = join_words(page.title), join_words(section.title)
    score = 5 * (f" {' '.join(words)}" in section.words)
    for word in words:
        beginning = f" {word}"
        count = section.words.count(beginning)
        if not count and beginning not in title:
            return 0
        is_top = section.level == 1
        score += min(count, 5) + 8 * (beginning in heading) + 6 * (beginning in title) * (1 + is_top)
    return score


def cut_excerpt(section: Section, words: Sequence[str]) -> SafeString:
    """The text around the first word that was found, with every found word marked."""
    pattern = re.compile(rf"((?<![^\W_])(?:{'|'.join(map(re.escape, words))})[^\W_]*)", re.IGNORECASE)
    found = pattern.search(section.text)
    start = max(0, found.start() - EXCERPT // 3) if found else 0
    start = section.text.rfind(" ", 0, start) + 1
    cut = section.text[start : start + EXCERPT]
    parts = ((part, place % 2) for place, part in enumerate(pattern.split(cut)))
    marked = format_html_join(
        "", "{}", ((format_html("<mark>{}</mark>", part) if odd else part,) for part, odd in parts)
    )
    return format_html("{}{}{}", "… " if start else "", marked, " …" if start + EXCERPT < len(section.text) else "")
