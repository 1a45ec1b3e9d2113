"""The graph of a bank: entities and memories with typed edges. The panel beside it is the same graph as a list."""

from dataclasses import dataclass
from uuid import UUID

from django.http import Http404, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_GET

from banks.enums import EntityKind, Network
from banks.errors import BankError
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.dashboard.faults import list_choice_faults, read_id, write_fault
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.graphs import (
    ENTITY,
    MEMORY,
    MOST_NEIGHBOURS,
    Edge,
    Graph,
    Node,
    draw_neighbours,
    draw_newest,
    find_nodes,
)
from tenants.transactions import tenant_transaction

SIZES = (300, 1_000, 5_000)
EDGES = ("relationship", "causal", "evidence", "semantic", "mention")
MOST_FOUND = 8


@dataclass(frozen=True)
class Neighbour:
    node: Node
    edge: Edge


@bank_page(Right.VIEW)
@require_GET
def graph(request: BankRequest) -> HttpResponse:
    """Without a node or words, the panel lists the most mentioned entities and the newest memories."""
    words = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    node = read_node(request.GET.get("node", ""))
    with tenant_transaction(request.bank.tenant_id):
        drawn = find_neighbours(request, *node) if node else Graph([], [])
        results = [] if node else find_nodes(request.bank, words, limit=MOST_FOUND)
    context = {
        "words": words,
        "results": results,
        "node": drawn.nodes[0] if drawn.nodes else None,
        "neighbours": list_neighbours(drawn),
        "networks": Network.values,
        "kinds": EntityKind.values,
        "edges": EDGES,
        "hidden": request.GET.get("hide", "").split(","),
        "most": MOST_NEIGHBOURS,
        "sizes": SIZES,
        "size": read_size(request),
        "faults": list_faults(request.GET),
    }
    return render(request, f"dashboard/graph/{'panel' if wants_part(request) else 'page'}.html", context)


@bank_page(Right.VIEW)
@require_GET
def graph_data(request: BankRequest) -> HttpResponse:
    """The nodes and edges for static/pages/graph.js: those around one node, or the newest."""
    node = read_node(request.GET.get("node", ""))
    with tenant_transaction(request.bank.tenant_id):
        drawn = find_neighbours(request, *node) if node else draw_newest(request.bank, limit=read_size(request))
    nodes = [[one.key, one.label, one.group, one.weight] for one in drawn.nodes]
    edges = [[one.source, one.target, one.type, one.label] for one in drawn.edges]
    return JsonResponse({"nodes": nodes, "edges": edges})


def read_node(text: str) -> tuple[str, UUID] | None:
    """Nonsense counts as not given."""
    kind, _, text_id = text.partition(":")
    node_id = read_id(text_id)
    return (kind, node_id) if kind in {ENTITY, MEMORY} and node_id else None


def list_faults(given: QueryDict) -> list[str]:
    """A sentence for each value of the address that can't be read."""
    faults = list_choice_faults(given, {"size": ("Newest nodes", [str(one) for one in SIZES])})
    if (node := given.get("node", "")) and not read_node(node):
        faults.append(write_fault("Node", node))
    known = {"", *EntityKind.values, *Network.values, *EDGES}
    return faults + [write_fault("Hidden", one) for one in given.get("hide", "").split(",") if one not in known]


def read_size(request: BankRequest) -> int:
    return next((one for one in SIZES if str(one) == request.GET.get("size")), SIZES[0])


def find_neighbours(request: BankRequest, kind: str, node_id: UUID) -> Graph:
    try:
        return draw_neighbours(request.bank, kind, node_id)
    except BankError as missing:
        raise Http404(str(missing)) from None


def list_neighbours(drawn: Graph) -> list[tuple[str, list[Neighbour]]]:
    """The neighbours of the first node, by the type of the edge."""
    if not drawn.nodes:
        return []
    nodes, key = {one.key: one for one in drawn.nodes}, drawn.nodes[0].key
    groups: dict[str, list[Neighbour]] = {}
    for edge in drawn.edges:
        if key in {edge.source, edge.target}:
            other = edge.target if edge.source == key else edge.source
            groups.setdefault(edge.type, []).append(Neighbour(nodes[other], edge))
    return [(name, groups[name]) for name in EDGES if name in groups]
