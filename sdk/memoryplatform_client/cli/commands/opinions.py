"""`opinions`: a bank's opinions and the history of their confidence."""

import argparse
from collections.abc import Sequence
from itertools import islice
from typing import Any

from memoryplatform_client.cli.command import Action, Command, Given, at_least, given_ones
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.output import Output, as_data
from memoryplatform_client.cli.session import Session
from memoryplatform_client.cli.sparkline import draw
from memoryplatform_client.client import MemoryClient
from memoryplatform_client.models.opinions import Opinion, OpinionDetail, OpinionRevision


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("--search", dest="q", metavar="WORDS")
    parser.add_argument("--review", choices=["new", "approved", "pinned", "retired", "all"])
    parser.add_argument("--min-confidence", type=float, metavar="0..1")
    parser.add_argument("--limit", type=at_least(1), default=20, metavar="N")


def list_opinions(session: Session, given: Given) -> int:
    wanted: dict[str, Any] = given_ones(given, "q", "review", "min_confidence")
    listed = session.client.opinions.list(given.bank, limit=min(given.limit, 100), **wanted)
    opinions = list(islice(listed, given.limit))
    paths = [read_path(session.client, given.bank, one) for one in opinions]
    if session.out.as_json:
        session.out.json([{**as_data(one), "trajectory": path} for one, path in zip(opinions, paths, strict=True)])
    else:
        show_list(session.out, opinions, paths)
    return Exit.DONE


def read_path(client: MemoryClient, bank_id: str, opinion: Opinion) -> list[float]:
    """An opinion that never changed needs no request."""
    if opinion.revision <= 1:
        return [opinion.confidence]
    return trajectory(list(client.opinions.revisions(bank_id, opinion.id)))


def trajectory(revisions: Sequence[OpinionRevision]) -> list[float]:
    """Revisions that were withdrawn with their evidence are left out."""
    return [one.confidence_after for one in revisions if not one.withdrawn]


def show_list(out: Output, opinions: Sequence[Opinion], paths: Sequence[Sequence[float]]) -> None:
    pairs = zip(opinions, paths, strict=True)
    rows = [(one.id, f"{one.confidence:.2f}", draw(path), review_of(one), one.text) for one, path in pairs]
    out.table(["id", "confidence", "trajectory", "review", "text"], rows)
    if not opinions:
        out.note("The bank has no opinions.")


def review_of(opinion: Opinion) -> str:
    """`new` for an opinion without a review."""
    return opinion.review or "new"


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("opinion", help="the opinion's id")


def show_opinion(session: Session, given: Given) -> int:
    opinion = session.client.opinions.get(given.bank, given.opinion)
    revisions = list(session.client.opinions.revisions(given.bank, given.opinion))
    if session.out.as_json:
        session.out.json({**as_data(opinion), "trajectory": trajectory(revisions), "revisions": as_data(revisions)})
    else:
        show_detail(session.out, opinion, revisions)
    return Exit.DONE


def show_detail(out: Output, opinion: OpinionDetail, revisions: Sequence[OpinionRevision]) -> None:
    out.line(opinion.text, "bold")
    out.line(f"{opinion.confidence:.2f}  {draw(trajectory(revisions))}  {review_of(opinion)}")
    out.heading("Revisions")
    rows = [(one.number, one.at.date(), one.cause, step(one), one.evidence_text or one.reasoning) for one in revisions]
    out.table(["#", "when", "cause", "confidence", "because of"], rows)
    if opinion.evidence:
        out.heading("Evidence")
        facts = [(one.bearing, one.mentioned_at.date(), one.text) for one in opinion.evidence]
        out.table(["bearing", "when", "text"], facts)


def step(revision: OpinionRevision) -> str:
    before = "" if revision.confidence_before is None else f"{revision.confidence_before:.2f} → "
    withdrawn = " (withdrawn)" if revision.withdrawn else ""
    return f"{before}{revision.confidence_after:.2f}{withdrawn}"


COMMAND = Command(
    "opinions",
    "Opinions of a bank and the history of their confidence.",
    actions=(
        Action("list", "Opinions with the course of their confidence.", add_list_arguments, list_opinions),
        Action("show", "An opinion with its revisions and evidence.", add_show_arguments, show_opinion),
    ),
)
