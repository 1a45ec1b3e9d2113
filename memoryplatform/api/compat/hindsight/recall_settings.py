"""The bank's settings of recall under Hindsight's names. A field of the request overrides them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memoryplatform.api.compat.hindsight.settings import HONOURED
from memoryplatform.api.v1.recall_input import MOST_NODES
from retrieval.types import BUDGETS, Channel, RecallQuery

Stored = Mapping[str, Any]
SIZES = tuple(f"recall_budget_{rule}_{size}" for rule in ("fixed", "adaptive") for size in BUDGETS)
CHANNELS = {
    "enable_text_search": (Channel.KEYWORD, Channel.ARCHIVE_WORDS),
    "enable_temporal_retrieval": (Channel.TEMPORAL,),
    "enable_graph_retrieval": (Channel.GRAPH,),
}


def add_defaults(given: dict[str, Any], stored: Stored) -> dict[str, Any]:
    """The request with the bank's values for the fields that it leaves out. Null means left out."""
    usual: dict[str, Any] = {}
    if "recall_max_tokens" in stored:
        usual["max_tokens"] = max(0, stored["recall_max_tokens"])
    if stored.get("recall_prefer_observations"):
        usual["prefer_observations"] = True
    scores = given.get("min_scores")
    if stored.get("enable_reranking") is False and not (isinstance(scores, dict) and scores.get("reranker")):
        usual["rerank"] = False
    merged = usual | {name: value for name, value in given.items() if value is not None}
    if nodes := choose_nodes(merged, stored):
        merged.setdefault("thinking_budget", nodes)
    return merged | {"include": add_chunks(given.get("include"), stored)}


def add_chunks(include: Any, stored: Stored) -> Any:
    if not stored.get("recall_include_chunks") or not (include is None or isinstance(include, dict)):
        return include
    most = max(0, stored.get("recall_chunks_max_tokens", HONOURED["recall_chunks_max_tokens"]))
    return {"chunks": {"max_tokens": most}, **(include or {})}


def choose_nodes(merged: Mapping[str, Any], stored: Stored) -> int | None:
    """The number of memories to examine; None if the bank has no budgets of its own, so that ours count."""
    size = merged.get("budget", "mid")
    if size not in BUDGETS or not any(name in stored for name in (*SIZES, "recall_budget_function")):
        return None
    values = {**HONOURED, **stored}
    nodes = int(values[f"recall_budget_fixed_{size}"])
    if values["recall_budget_function"] == "adaptive":
        tokens = merged.get("max_tokens", HONOURED["recall_max_tokens"])
        share = values[f"recall_budget_adaptive_{size}"] * (tokens if isinstance(tokens, int) else 0)
        nodes = max(values["recall_budget_min"], min(values["recall_budget_max"], round(share)))
    return max(1, min(MOST_NODES, nodes))


def switch_channels(query: RecallQuery, stored: Stored) -> RecallQuery:
    """Leaves out the channels that the bank has switched off. Semantic search always runs."""
    off = [channel for name, channels in CHANNELS.items() if stored.get(name) is False for channel in channels]
    return replace(query, channel_weights=dict.fromkeys(off, 0.0)) if off else query
