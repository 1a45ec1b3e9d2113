"""A section as the model reads it: who said what and when, fenced."""

from collections.abc import Iterator
from datetime import datetime

from banks.dates.in_words import write_day_of_week
from banks.retain.engines.llm.section import Piece, Section
from banks.retain.engines.llm.weeks import list_weeks_around
from providers import tokens
from providers.llm.prompting.fence import bar, fence, label

CONTEXT_TOKENS = 500
MOST_NAMES = 50


def render_passage(section: Section) -> str:
    parts = (render_head, render_calendar, render_earlier, render_turns)
    return fence("passage", (line for part in parts for line in part(section)))


def render_head(section: Section) -> Iterator[str]:
    passage = section.passage
    yield "kind: document" if passage.is_document else "kind: conversation"
    if passage.agent_name:
        yield f"name of the agent: {label(passage.agent_name)}"
    if passage.context:
        yield "what it is about, as the sender says:"
        yield from bar(tokens.truncate(passage.context, CONTEXT_TOKENS))
    if passage.given_entities:
        yield "names to use for what they name: " + "; ".join(
            f"{label(entity.name)} ({entity.kind})" for entity in passage.given_entities[:MOST_NAMES]
        )


def render_calendar(section: Section) -> Iterator[str]:
    """Around the beginning: an episode seldom lasts into another week."""
    yield "calendar:"
    yield from list_weeks_around(section.pieces[0].turn.said_at.date())


def render_earlier(section: Section) -> Iterator[str]:
    for piece in section.before:
        yield f"earlier: {label(piece.turn.speaker)} ({describe_role(section, piece)})"
        yield from bar(piece.turn.text)


def render_turns(section: Section) -> Iterator[str]:
    for number, piece in enumerate(section.pieces, start=1):
        yield from render_piece(section, number, piece)


def render_piece(section: Section, number: int, piece: Piece) -> Iterator[str]:
    role, moment = describe_role(section, piece), describe_moment(piece.turn.said_at)
    yield f"turn {number}: {label(piece.turn.speaker)} ({role}), {moment}"
    yield from bar(piece.turn.text)


def describe_role(section: Section, piece: Piece) -> str:
    role = "author" if section.passage.is_document else piece.turn.role
    return f"{role}, the agent itself" if section.is_agent(piece.turn) else role


def describe_moment(moment: datetime) -> str:
    """In English whatever the locale of the process, with the weekday and the zone: relative dates hang on both."""
    zone = moment.strftime("%z")
    offset = f"UTC{zone[:3]}:{zone[3:5]}" if zone else "zone unknown"
    return f"{write_day_of_week(moment)} at {moment:%H:%M} {offset}"
