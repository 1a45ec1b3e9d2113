"""A section that can't be read as one is read in halves, and those in halves again, down to a bound."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from banks.retain.engines.llm.section import Section, find_halves
from banks.retain.types import ExtractedFact
from providers.llm.errors import LLMError, LLMRefused, MalformedAnswer

Read = Callable[[Section], list[ExtractedFact]]

MAX_SPLITS = 3  # eighths; the first part that still fails ends it, so a model that can't answer costs four questions
# A refusal for the content or its length may spare a part of it. Any other is about the key or the model, and whoever
# set those can mend it: it goes to the caller, as an outage does.
REFUSES_CONTENT = {None, 400, 413, 422}


class UnreadableSection(Exception):
    """The text is for the tenant, and holds nothing of the passage."""


def read_in_parts(section: Section, read: Read, *, max_tokens: int, splits: int = MAX_SPLITS) -> list[ExtractedFact]:
    """`splits` bounds how often a failure is divided; dividing what is too long to ask about has no bound."""
    if section.is_blank:
        return []
    halves = find_halves(section)
    if halves and section.is_longer_than(max_tokens):
        return join(read_in_parts(half, read, max_tokens=max_tokens, splits=splits) for half in halves)
    try:
        return read(section)
    except (MalformedAnswer, LLMRefused) as failure:
        if not concerns_content(failure):
            raise
        reason = describe_failure(failure)
    # Out here the answer, which quotes the passage, is not the context of what is raised.
    if halves is None or not splits:
        raise UnreadableSection(f"{describe_place(section)} could not be turned into facts: {reason}.")
    return join(read_in_parts(half, read, max_tokens=max_tokens, splits=splits - 1) for half in halves)


def join(parts: Iterable[list[ExtractedFact]]) -> list[ExtractedFact]:
    """Causes point to places in the list of their own part, and move with it."""
    facts: list[ExtractedFact] = []
    for part in parts:
        facts += [move_causes(fact, by=len(facts)) for fact in part]
    return facts


def move_causes(fact: ExtractedFact, *, by: int) -> ExtractedFact:
    return replace(fact, causes=tuple(replace(cause, target=cause.target + by) for cause in fact.causes))


def concerns_content(failure: LLMError) -> bool:
    return isinstance(failure, MalformedAnswer) or (
        isinstance(failure, LLMRefused) and failure.status in REFUSES_CONTENT
    )


def describe_failure(failure: MalformedAnswer | LLMRefused) -> str:
    if isinstance(failure, LLMRefused):
        return "the model refused it, also in smaller parts"
    if failure.truncated:
        return "the model's answer was cut off at the limit of its length, also for smaller parts"
    return "the model's answer was not in the form that was asked for, also after a repair and for smaller parts"


def describe_place(section: Section) -> str:
    first, last = section.pieces[0], section.pieces[-1]
    if section.passage.is_document:
        return f"The characters {first.start} to {last.quote.end} of the text"
    if first.index == last.index:
        return f"Message {first.index + 1}"
    return f"The messages {first.index + 1} to {last.index + 1}"
