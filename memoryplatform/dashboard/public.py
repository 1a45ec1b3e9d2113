"""The pages for visitors: the home page, the documentation with its search, the API reference. They need no account."""

from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from memoryplatform.dashboard.api_reference import read_reference
from memoryplatform.dashboard.documentation import highlight_code, list_words, read_library

LONGEST_QUERY = 200  # characters
MOST_ROUTES = 5  # above the results of a search
API_SIDEBAR = "docs/api_sidebar.html"
ADDRESS = "https://memory.invalid"  # in the snippets, in place of the installation's own address
SNIPPETS = (  # name, title, language, code, where to read on
    (
        "python",
        "Python",
        "python",
        f"""from memoryplatform_client import MemoryClient

client = MemoryClient(
    "{ADDRESS}", api_key="mpk_..."
)
client.retain("support", messages=[
    {{"role": "user", "name": "Caroline",
     "content": "I moved to Denver in June."}},
])

found = client.recall("support", "Where did Caroline move?")
print(found.results[0].text)
# Caroline: I moved to Denver in June.
""",
        "sdk",
    ),
    (
        "curl",
        "curl",
        "bash",
        f"""export KEY=mpk_...

curl {ADDRESS}/v1/banks/support/memories \\
  -H "Authorization: Bearer $KEY" \\
  --json '{{"items": [{{"messages": [{{
    "role": "user", "name": "Caroline",
    "content": "I moved to Denver in June."}}]}}]}}'

curl {ADDRESS}/v1/banks/support/memories/recall \\
  -H "Authorization: Bearer $KEY" \\
  --json '{{"query": "Where did Caroline move?"}}'
""",
        "http-api",
    ),
    (
        "mcp",
        "MCP",
        "bash",
        f"""# Claude Code, with a key:
claude mcp add --transport http memory \\
  {ADDRESS}/mcp/support/ \\
  --header "Authorization: Bearer mpk_..."

# A client that speaks OAuth needs the address alone:
#   {ADDRESS}/mcp/

# Then ask your agent:
#   Remember that Caroline moved to Denver in June.
#   Where did Caroline move?
""",
        "mcp",
    ),
    (
        "mem0",
        "mem0 client",
        "python",
        f"""from mem0 import MemoryClient  # unchanged, from PyPI

client = MemoryClient(
    api_key="mpk_...", host="{ADDRESS}"
)
client.add("I moved to Denver in June.",
           user_id="caroline", infer=False)

found = client.search("Who moved to Denver?",
                      filters={{"user_id": "caroline"}})
print(found["results"][0]["memory"])
# I moved to Denver in June.
""",
        "mem0",
    ),
)


@dataclass(frozen=True)
class Figure:
    """A measured number. A test finds it in docs/benchmarks.md, in a line that begins with `row` below `heading`."""

    value: str
    unit: str
    caption: str
    heading: str
    row: str


FIGURES = (
    Figure(
        "93.6",
        "%",
        "of LoCoMo questions get all of their evidence within 4,096 tokens",
        "## Recall on LoCoMo",
        "| measured 2026-11-19 |",
    ),
    Figure(
        "92.6",
        "%",
        "of LoCoMo's evidence is among the first 50 turns that recall quotes",
        "## Recall on LoCoMo",
        "| measured 2026-11-19 |",
    ),
    Figure(
        "106", "ms", "median recall over 10,261 memories, on two cores", "## Latency", "| recall at low: p50, p95 |"
    ),
    Figure(
        "1.000",
        "",
        "accuracy of time windows in questions such as “last spring”, seven languages",
        "## Dates",
        "| time windows of questions, seven languages",
    ),
)
NETWORKS = (  # name, icon, meaning, example
    (
        "World",
        "earth",
        "Facts about people and things, with the time they were true.",
        "Caroline: I moved to Denver in June.",
    ),
    ("Experience", "footprints", "What the agent itself said and did.", "I recommended the Denver store to Caroline."),
    (
        "Opinion",
        "lightbulb",
        "What the agent believes, with a confidence and its evidence.",
        "I think cycling suits Caroline. Confidence 0.80, up from 0.65.",
    ),
    (
        "Observation",
        "eye",
        "A neutral summary of an entity, kept up from its facts.",
        "Caroline is a cyclist who lives in Denver.",
    ),
)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    address = escape(find_address(request))
    snippets = [
        (name, title, mark_safe(code.replace(ADDRESS, address)), page)  # noqa: S308  # both parts are escaped
        for name, title, code, page in highlight_snippets()
    ]
    return show(request, "home.html", snippets=snippets, figures=FIGURES, networks=NETWORKS)


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    library = read_library(settings.DOCS_DIR)
    return show(request, "docs/index.html", 200 if library.pages else 404, library=library)


@require_safe
def docs_page(request: HttpRequest, slug: str) -> HttpResponse:
    library = read_library(settings.DOCS_DIR)
    page = library.pages.get(slug)
    if page is None:
        return show(request, "docs/not_found.html", 404, library=library, slug=slug)
    previous, following = library.find_neighbours(page)
    return show(request, "docs/page.html", library=library, page=page, previous=previous, following=following)


@require_safe
def docs_search(request: HttpRequest) -> HttpResponse:
    library = read_library(settings.DOCS_DIR)
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    matching = read_reference().search(query) if list_words(query) else {}
    routes = [one for operations in matching.values() for one in operations][:MOST_ROUTES]
    results = library.search(query)
    return show(request, "docs/search.html", library=library, query=query, results=results, routes=routes)


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    reference = read_reference()
    found = reference.search(query)
    return show(request, "docs/api.html", reference=reference, found=found, api_query=query, sidebar=API_SIDEBAR)


@require_safe
def api_operation(request: HttpRequest, operation_id: str) -> HttpResponse:
    reference = read_reference()
    operation = reference.operations.get(operation_id)
    if operation is None:
        return show(request, "docs/not_found.html", 404, library=read_library(settings.DOCS_DIR), slug=operation_id)
    previous, following = reference.find_neighbours(operation)
    return show(
        request,
        "docs/api_operation.html",
        reference=reference,
        operation=operation,
        curl=operation.build_curl(find_address(request)),
        previous=previous,
        following=following,
        sidebar=API_SIDEBAR,
    )


@require_safe
def lead_to(_request: HttpRequest, route: str) -> HttpResponse:
    """A former address of a page."""
    return redirect(route)


def find_address(request: HttpRequest) -> str:
    """The installation's own address, without a slash at the end."""
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"


def show(request: HttpRequest, template: str, status: int = 200, **values: object) -> HttpResponse:
    return render(request, template, {**values, "sign_up_is_open": settings.SIGN_UP == "open"}, status=status)


@cache
def highlight_snippets() -> list[tuple[str, str, SafeString, str]]:
    """The snippets with the placeholder for the address, which stays in one piece."""
    return [
        (name, title, mark_safe(highlight_code(code, language, "")), page)  # noqa: S308  # texts of our own
        for name, title, language, code, page in SNIPPETS
    ]
