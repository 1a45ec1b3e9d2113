"""Echoes: lines of a message that repeat a memory of the bank. They are no evidence.

An agent repeats its memories, and some frameworks put a list of memories into a user's message. The archive keeps such
a message unchanged. No fact is extracted from the repeated lines.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from banks.facts import hash_words
from banks.models import Bank, MemoryUnit
from banks.types import Quote, Turn
from tenants.transactions import tenant_transaction

LINE = re.compile(r"[^\n]+")
# Marks that lists of memories put before a line: a bullet, a number, a date, a note in brackets.
LIST_MARK = re.compile(
    r"\s*(?:[-*\u2022\u2013>]\s*|\d{1,3}[.)]\s+|[\[(][^\])\n]{1,60}[\])]\s*:?\s*|\d{4}-\d\d-\d\d\S*\s*:?\s*)+"
)
INTRODUCTION = re.compile(r":\s+")  # "According to my memory: ..."
MOST_INTRODUCTIONS = 3
QUOTATION_MARKS = "\"'\u201c\u201d\u2018\u2019 \t"
LEAST_WORDS = 4  # a shorter line such as "I think so." is said often
LONGEST_LINE = 4_000  # characters; memories are shorter


def find_echoes(bank: Bank, turns: Sequence[Turn]) -> tuple[tuple[Quote, ...], ...]:
    """For each turn the lines that repeat a memory; empty if no turn has any."""
    lines = [(quote, text) for place, turn in enumerate(turns) for quote, text in list_lines(place, turn)]
    known = find_known(bank, {text for _, text in lines}) if lines else {}
    echoes = [quote for quote, text in lines if text in known and known[text] < turns[quote.turn].said_at]
    if not echoes:
        return ()
    return tuple(tuple(echo for echo in echoes if echo.turn == place) for place in range(len(turns)))


def list_lines(place: int, turn: Turn) -> Iterator[tuple[Quote, str]]:
    """Each line with the texts that may be a memory: without its list mark, and without an introduction.

    Users repeat themselves, and that is proof. So in a user's message only the lines of a list may be echoes.
    """
    for line in LINE.finditer(turn.text):
        mark = LIST_MARK.match(line.group())
        if (not mark and turn.role == "user") or len(line.group()) > LONGEST_LINE:
            continue
        text = line.group()[mark.end() if mark else 0 :]
        colons = [found.end() for found in INTRODUCTION.finditer(text)][:MOST_INTRODUCTIONS]
        for start in (0, *colons):
            stripped = text[start:].strip(QUOTATION_MARKS)
            if len(stripped.split()) >= LEAST_WORDS:
                yield Quote(place, line.start(), line.end()), stripped


def find_known(bank: Bank, texts: Collection[str]) -> dict[str, datetime]:
    """The texts among these that a current unit has, with or without its speaker, and when the unit was last said."""
    hashes = {hash_words(text): text for text in texts}
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current()
        same = units.filter(content_hash__in=list(hashes)).values_list("content_hash", "mentioned_at")
        known = {hashes[bytes(key)]: said_at for key, said_at in same}
        dated = units.filter(occurred_start__isnull=False, text__in=texts)
        return known | dict(dated.values_list("text", "mentioned_at"))


def blank_echoes(turns: Sequence[Turn], echoes: tuple[tuple[Quote, ...], ...]) -> tuple[Turn, ...]:
    """The turns with blanks in place of their echoes, for an engine that reads whole turns."""
    if not echoes:
        return tuple(turns)
    return tuple(blank(turn, found) for turn, found in zip(turns, echoes, strict=True))


def blank(turn: Turn, echoes: Sequence[Quote]) -> Turn:
    text = turn.text
    for echo in echoes:
        text = f"{text[: echo.start]}{' ' * (echo.end - echo.start)}{text[echo.end :]}"
    return Turn(turn.role, turn.speaker, text, turn.said_at)
