"""`reflect`: an answer in the agent's disposition, shown as it is written."""

import argparse
from contextlib import closing
from typing import Any

from memoryplatform_client.cli.command import Command, Given, given_ones
from memoryplatform_client.cli.commands.recall import add_search_options, find_search_options
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.output import Output
from memoryplatform_client.cli.plain_text import in_one_line
from memoryplatform_client.cli.session import Session
from memoryplatform_client.events import Delta, Done


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("query")
    add_search_options(parser)
    parser.add_argument("--context", help="additional context of the question")
    parser.add_argument("--no-opinions", action="store_true", help="form no opinions")


def run(session: Session, given: Given) -> int:
    options = {**find_search_options(given), **given_ones(given, "context")}
    done: Done | None = None
    asked = session.client.stream_reflect(given.bank, given.query, form_opinions=not given.no_opinions, **options)
    with closing(asked) as events:
        for event in events:
            if isinstance(event, Delta) and not session.out.as_json:
                session.out.piece(event.text)
            elif isinstance(event, Done):
                done = event
    if session.out.as_json:
        session.out.json(done)
    elif done is not None:
        session.out.line()
        show_basis(session.out, done)
    return Exit.DONE


def show_basis(out: Output, answer: Done) -> None:
    """Written to standard error, so that a pipe gets only the answer."""
    texts = {one.mark: one.text for one in list_basis(answer)}
    for mark in dict.fromkeys(citation.mark for citation in answer.citations):
        out.note(f"{mark} {in_one_line(texts.get(mark, ''))}")
    for opinion in answer.opinions:
        out.note(f"Opinion {opinion.outcome}, {opinion.confidence:.2f}: {in_one_line(opinion.text)}")
    if answer.truncated:
        out.note("The answer was cut short.")


def list_basis(answer: Done) -> list[Any]:
    based_on = answer.based_on
    if based_on is None:
        return []
    return [*based_on.memories, *based_on.opinions, *based_on.observations, *based_on.chunks]


COMMAND = Command("reflect", "Ask a bank for an answer with its reasons.", add_arguments, run)
