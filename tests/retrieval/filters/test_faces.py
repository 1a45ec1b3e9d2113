"""The documented table of filters per interface (API, MCP, clients), against the definitions in code."""

import argparse
import re
from pathlib import Path

from memoryplatform.api.compat.hindsight.recall import translate_recall
from memoryplatform.api.mcp.tools.recall import RecallArguments
from memoryplatform.api.v1.recall_input import RecallInput
from memoryplatform_client.cli.commands.recall import add_arguments
from memoryplatform_client.options.recall import RecallOptions

PAGE = Path(__file__).parents[3] / "docs" / "recall.md"
HEADING = "| filter | HTTP | SDK | CLI | MCP | Hindsight's route |"
FACES = [face.strip() for face in HEADING.strip("|").split("|")[1:]]
# The query and the limits of a recall are no filters.
NO_FILTERS = {
    "query", "query_timestamp", "max_tokens", "max_results", "fill", "budget", "thinking_budget", "rerank",
    "trace", "include", "temporal_window", "prefer_observations", "min_lsn",
}  # fmt: skip


def read_table() -> dict[str, dict[str, bool]]:
    rows = PAGE.read_text().split(HEADING)[1].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {name.strip("`"): dict(zip(FACES, [cell == "yes" for cell in own], strict=True)) for name, *own in cells}


def list_offered() -> dict[str, set[str]]:
    http = set(RecallInput().fields)
    return {
        "HTTP": http,
        "SDK": set(RecallOptions.__annotations__),
        "CLI": list_options(),
        "MCP": set(RecallArguments.model_fields),
        "Hindsight's route": set(translate_recall(dict.fromkeys(http), types=())),
    }


def list_options() -> set[str]:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return set(vars(parser.parse_args(["a bank", "a query"])))


def test_the_page_names_every_filter() -> None:
    assert set(read_table()) == set(RecallInput().fields) - NO_FILTERS


def test_every_interface_offers_the_documented_filters() -> None:
    offered = list_offered()
    assert read_table() == {name: {face: name in offered[face] for face in FACES} for name in read_table()}


def test_the_page_explains_every_filter() -> None:
    fields = set(re.findall(r"`(\w+)`", PAGE.read_text().split("## The query")[1].split(HEADING)[0]))
    assert set(read_table()) <= fields
