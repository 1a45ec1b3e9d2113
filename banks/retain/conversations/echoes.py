"""Memories that come back: an agent that repeats what it recalled tells nothing new, and proves nothing.

A text of a unit that stands in a message is blanked out before facts are taken from it, with the words that introduce
it. The archive keeps the message as it was said.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from banks.models import Bank, MemoryUnit
from banks.retain.prepared import hash_fact
from banks.retain.types import Turn
from banks.words import Network
from tenants.transactions import tenant_transaction

LINE = re.compile(r"[^\n]+")
# A bullet or number, a date or another note in brackets, a date and a colon: what lists of memories begin a line with.
MARK = re.compile(
    r"\s*(?:[-*\u2022\u2013>]\s*|\d{1,3}[.)]\s+|[\[(][^\])\n]{1,60}[\])]\s*:?\s*|\d{4}-\d\d-\d\d\S*\s*:?\s*)+"
)
LEAD = re.compile(r":\s+|\bthat\s+|\btold (?:me|you|us)\s+")  # "According to my memory: ...", "I remember that ..."
ASIDE = re.compile(r",\s+")  # "As I remember, ..."
LABEL = re.compile(r"\w+")  # a memory of what somebody said begins with the name: "Ana: Ana moved to Lisbon."
SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]['\")\]\u201d]*(?=\s|$)")
INTRODUCES = re.compile(
    r"\b(?:memor(?:y|ies)|remember\w*|recall\w*|know|known|notes?|context|facts?|told|mentioned|said)\b", re.IGNORECASE
)
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
    known = find_known(bank, {stretch.text for stretch in stretches}) if stretches else {}
    echoes = [stretch for stretch in stretches if is_after(turns[stretch.turn], known.get(stretch.text))]
    return tuple(blank(turn, [echo for echo in echoes if echo.turn == place]) for place, turn in enumerate(turns))


def is_after(turn: Turn, told_at: datetime | None) -> bool:
    """Nobody recalls what is not told yet: a message that is sent again is where its memories come from."""
    return told_at is not None and told_at < turn.said_at


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
    leads |= {found.end() for found in ASIDE.finditer(line, begins) if INTRODUCES.search(line, begins, found.start())}
    for start in sorted({begins, *ends[:-1], *leads}):
        for end in [end for end in ends if end > start][:MOST_SENTENCES]:
            text = line[start:end].strip(QUOTES)
            if len(WORD.findall(text)) >= LEAST_WORDS:
                yield Stretch(place, shift + start, shift + end, text)


def find_known(bank: Bank, texts: Collection[str]) -> dict[str, datetime]:
    """Those that are the text of a live unit, with or without its label, and when it was told.

    The hash of a dated one holds its day, so its text is compared.
    """
    written = {text: list_variants(text) for text in texts}
    variants = {variant for each in written.values() for variant in each}
    hashes = {variant: hash_fact(variant) for variant in variants}
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current()
        same = units.filter(network__in=Network.values, content_hash__in=set(hashes.values()))
        dated = units.filter(occurred_start__isnull=False, text__in=variants)
        by_hash = {bytes(key): told_at for key, told_at in same.values_list("content_hash", "mentioned_at")}
        told = dict(dated.values_list("text", "mentioned_at"))
    told |= {variant: by_hash[key] for variant, key in hashes.items() if key in by_hash}
    return {text: told[each] for text, variants_of in written.items() for each in variants_of if each in told}


def list_variants(text: str) -> list[str]:
    bare = text.rstrip(".")
    name = LABEL.match(text)
    labels = ("", f"{name.group()}: ") if name else ("",)
    return [f"{label}{each}" for label in labels for each in (bare, f"{bare}.", text)]


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
    introduces = INTRODUCES.search(line) and line.rstrip().endswith((":", ",", "that", " me", " you", " us"))
    is_mark = line != before and (MARK.fullmatch(line.rstrip() + " ") or not WORD.search(line))
    return " " * len(line) if introduces or is_mark else line
