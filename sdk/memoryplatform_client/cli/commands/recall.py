"""`recall`: search a bank."""

import argparse
from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

from memoryplatform_client.cli.command import Command, Given, at_least, given_ones, moment
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.output import Output
from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.recall import Recalled, RecallItem
from memoryplatform_client.options.recall import Include
from memoryplatform_client.options.words import TagsMatch

PASSED_ON = ("budget", "max_tokens", "max_results", "types", "tags", "tags_match", "as_of", "known_at")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("query")
    add_search_options(parser)
    parser.add_argument("--fill", action="store_true", help="also show what is not relevant, if it fits")
    parser.add_argument("--all-fields", action="store_true", help="with --json, every field of each result")
    parser.add_argument("--trace", action="store_true", help="show the rank in each channel and the time of each stage")


def add_search_options(parser: argparse.ArgumentParser) -> None:
    networks = ["world", "experience", "opinion", "observation"]
    parser.add_argument("--budget", choices=["low", "mid", "high"])
    parser.add_argument("--max-tokens", type=at_least(1), metavar="N")
    parser.add_argument("--max-results", type=at_least(1), metavar="N", help="the most memories (at most 1000)")
    parser.add_argument("--type", action="append", dest="types", default=[], choices=networks, help="repeatable")
    parser.add_argument("--tag", action="append", dest="tags", default=[], metavar="TAG", help="repeatable")
    parser.add_argument(
        "--tags-match",
        choices=get_args(TagsMatch),
        help="default: any_strict, at least one of the tags; any and all also match memories without tags",
    )
    parser.add_argument("--as-of", type=moment, metavar="TIME", help="search what was true at this time")
    parser.add_argument("--known-at", type=moment, metavar="TIME", help="search what was known at this time")


def find_search_options(given: Given) -> dict[str, Any]:
    """With `--tag`, only tagged memories match. The service's default would also return memories without tags."""
    if given.tags_match and given.tags_match != "exact" and not given.tags:
        raise BadUsage("--tags-match needs a --tag. Only `exact` works without one: it finds memories without tags.")
    options = given_ones(given, *PASSED_ON)
    return {"tags_match": "any_strict", **options} if given.tags else options


def run(session: Session, given: Given) -> int:
    options = find_search_options(given)
    options |= {"trace": given.trace, "fill": given.fill, "include": choose_fields(given)}
    recalled = session.client.recall(given.bank, given.query, **options)
    if session.out.as_json:
        session.out.json(recalled)
    else:
        show(session.out, recalled, with_trace=given.trace)
    return Exit.DONE


def choose_fields(given: Given) -> Include:
    """The table of a trace needs the scores."""
    if given.all_fields:
        return {"scores": {}, "sources": {}, "details": {}}
    return {"scores": {}} if given.trace else {}


def show(out: Output, recalled: Recalled, *, with_trace: bool) -> None:
    if not recalled.results:
        out.note("Nothing was found.")
    ranked = enumerate(recalled.results, 1)
    if with_trace:
        trace = recalled.trace or {}
        channels = [one["method_name"] for one in trace.get("retrieval_results", ())]
        rows = [trace_row(rank, item, channels) for rank, item in ranked]
        out.table(["#", *channels, "fused", "reranker", "final", "relevance", "text"], rows)
        show_stages(out, trace)
    else:
        out.table(["#", "relevance", "type", "when", "text"], [plain_row(*one) for one in ranked])
    for left in recalled.left_out:
        out.note(f"The channel {left.channel} was skipped: {left.reason}")


def plain_row(rank: int, item: RecallItem) -> Sequence[object]:
    when = item.occurred_start or item.mentioned_at
    return rank, f"{item.relevance:.3f}", item.type or "chunk", day(when), item.text


def trace_row(rank: int, item: RecallItem, channels: Sequence[str]) -> Sequence[object]:
    scores = item.scores
    if scores is None:
        return rank, *("" for _ in channels), "", "", "", f"{item.relevance:.3f}", item.text
    reranker = "" if scores.reranker is None else f"{scores.reranker:.3f}"
    ranks = [scores.ranks.get(channel, "") for channel in channels]
    return rank, *ranks, f"{scores.fused:.4f}", reranker, f"{scores.final:.3f}", f"{item.relevance:.3f}", item.text


def show_stages(out: Output, trace: dict[str, Any]) -> None:
    """Written to standard error, so that a pipe gets only rows."""
    for phase in trace.get("summary", {}).get("phase_metrics", ()):
        out.note(f"{phase['duration_seconds'] * 1000:8.1f} ms  {phase['phase_name']}")
    dropped = len(trace.get("cut_by_relevance", ()))
    if dropped:
        out.note(f"{dropped} were not relevant enough, or more than --max-results. --fill shows what is not relevant.")
    cut = len(trace.get("cut_by_token_budget", ()))
    if cut:
        out.note(f"The token budget cut {cut}.")


def day(moment: datetime) -> str:
    return moment.date().isoformat()


COMMAND = Command("recall", "Search the memories of a bank.", add_arguments, run)
