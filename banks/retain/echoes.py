"""Memories that come back: an agent that repeats what it recalled tells nothing new, and proves nothing.

A text of a unit that stands in a message is blanked out before facts are taken from it, with the words that introduce
it. The archive keeps the message as it was said.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from banks.models import Bank, MemoryUnit
from banks.retain.prepared import hash_fact
from banks.retain.types import Turn
from tenants.transactions import tenant_transaction

LINE = re.compile(r"[^\n]+")
# A bullet or number, a date or another note in brackets, a date and a colon: what lists of memories begin a line with.
MARK = re.compile(
    r"\s*(?:[-*\u2022\u2013>]\s*|\d{1,3}[.)]\s+|[\[(][^\])\n]{1,60}[\])]\s*:?\s*|\d{4}-\d\d-\d\d\S*\s*:?\s*)+"
)
LEAD = re.compile(r":\s+|\bthat\s+")  # "According to my memory: ...", "I remember that ..."
SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]['\")\]\u201d]*(?=\s|$)")
INTRODUCES = re.compile(r"\b(?:memor(?:y|ies)|remember\w*|recall\w*|know|known|notes?|context|facts?)\b", re.IGNORECASE)
WORD = re.compile(r"\w+")
QUOTES = "\"'\u201c\u201d\u2018\u2019 \t"
MOST_SENTENCES = 8
LEAST_WORDS = 4  # "I think so." may be said twice
LONGEST_LINE = 4_000  # characters; memories are shorter


@dataclass(frozen=True)
class Stretch:
    """Characters of a turn that may be a memory's text."""

    turn: int
    start: int
    end: int
    text: str


def forget_echoes(bank: Bank, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns with blanks where a memory of the bank stands, so that places in them stay what they are."""
    stretches = [stretch for place, turn in enumerate(turns) for stretch in find_stretches(place, turn)]
    known = find_known(bank, {stretch.text for stretch in stretches}) if stretches else frozenset()
    echoes = [stretch for stretch in stretches if stretch.text in known]
    return tuple(blank(turn, [echo for echo in echoes if echo.turn == place]) for place, turn in enumerate(turns))


def find_stretches(place: int, turn: Turn) -> Iterator[Stretch]:
    """Whole lines and runs of their sentences. What a user says counts only where it is shown to be a memory.

    People say the same thing twice, and that is proof; a framework that hands memories to the agent in a user's name
    lists or introduces them.
    """
    introduced = turn.role != "user"
    for line in LINE.finditer(turn.text):
        mark = MARK.match(line.group())
        if (introduced or mark or INTRODUCES.search(line.group())) and len(line.group()) <= LONGEST_LINE:
            yield from cut_line(place, line.group(), shift=line.start(), begins=mark.end() if mark else 0)
        introduced = introduced or bool(INTRODUCES.search(line.group()) and line.group().rstrip().endswith(":"))


def cut_line(place: int, line: str, *, shift: int, begins: int) -> Iterator[Stretch]:
    ends = [found.end() for found in SENTENCE_END.finditer(line, begins)]
    if not ends or ends[-1] < len(line.rstrip()):
        ends.append(len(line.rstrip()))
    leads = {found.end() for found in LEAD.finditer(line, begins)}
    for start in sorted({begins, *ends[:-1], *leads}):
        for end in [end for end in ends if end > start][:MOST_SENTENCES]:
            text = line[start:end].strip(QUOTES)
            if len(WORD.findall(text)) >= LEAST_WORDS:
                yield Stretch(place, shift + start, shift + end, text)


def find_known(bank: Bank, texts: Collection[str]) -> frozenset[str]:
    """Those that are the text of a live unit. The hash of a dated one holds its day, so its text is compared."""
    hashes = {text: hash_fact(text) for text in texts}
    variants = {variant: text for text in texts for variant in (text.rstrip("."), f"{text}.", text)}
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current()
        same = units.filter(network__in=MemoryUnit.Network.values, content_hash__in=set(hashes.values()))
        dated = units.filter(occurred_start__isnull=False, text__in=list(variants))
        found = {bytes(content_hash) for content_hash in same.values_list("content_hash", flat=True)}
        told = {variants[text] for text in dated.values_list("text", flat=True)}
    return frozenset(told | {text for text, content_hash in hashes.items() if content_hash in found})


def blank(turn: Turn, echoes: Sequence[Stretch]) -> Turn:
    if not echoes:
        return turn
    text = turn.text
    for echo in echoes:
        text = f"{text[: echo.start]}{' ' * (echo.end - echo.start)}{text[echo.end :]}"
    return replace(turn, text="\n".join(blank_introduction(line, was) for line, was in pair_lines(text, turn.text)))


def pair_lines(text: str, before: str) -> list[tuple[str, str]]:
    return list(zip(text.split("\n"), before.split("\n"), strict=True))


def blank_introduction(line: str, before: str) -> str:
    """What is left of a line when its memory is gone, if that only said that a memory follows."""
    is_rest = line != before and len(WORD.findall(line)) > 0
    introduces = INTRODUCES.search(line) and line.rstrip().endswith((":", "that"))
    is_mark = MARK.fullmatch(line.rstrip() + " ") is not None
    return " " * len(line) if introduces or (is_rest and is_mark) else line
