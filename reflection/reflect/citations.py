"""The marks in an answer: those of memories that were found are kept, others go, while the text still arrives."""

import re
from collections.abc import Iterator

from reflection.reflect.events import Cited, Delta, Said
from reflection.reflect.gathered import Gathered
from reflection.reflect.references import find_memory, is_reference
from reflection.reflect.types import Labelled

LONGEST_MARK = 200  # characters between brackets: five ids, or some forty numbers
MARK = re.compile(rf"([ \t]*)\[([^\[\]\n]{{1,{LONGEST_MARK}}})\]")
# What may still become a mark, or the blank before one that has to go with it.
UNFINISHED = re.compile(rf"(?<![ \t])[ \t]*(?:\[[^\[\]\n]{{0,{LONGEST_MARK}}})?\Z")
BETWEEN = re.compile(r"[\s,;]+(?:and\s+)?")
YEARS = range(1900, 2100)  # "[2023]" is a date that somebody put in brackets, unless there is such a memory


def list_references(inside: str) -> list[str]:
    """What brackets name; none where anything else stands between them."""
    names = [name for name in BETWEEN.split(inside.strip()) if name]
    return names if all(map(is_reference, names)) else []


def unmark(text: str) -> str:
    """A text of others without what would pass for marks of ours: its "[12]" is a footnote, and becomes "(12)"."""
    return MARK.sub(lambda match: f"{match[1]}({match[2]})" if list_references(match[2]) else match[0], text)


class CitedText:
    """The text as it is shown, the memories that it names, and how many marks named none."""

    def __init__(self, gathered: Gathered) -> None:
        self.cited: dict[int, Labelled] = {}
        self.dropped = 0
        self._gathered = gathered
        self._held = ""
        self._shown: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._shown).strip()

    def feed(self, piece: str) -> Iterator[Said]:
        whole = self._held + piece
        unfinished = UNFINISHED.search(whole)
        cut = unfinished.start() if unfinished else len(whole)
        self._held = whole[cut:]
        yield from self._show(whole[:cut])

    def end(self) -> Iterator[Said]:
        held, self._held = self._held, ""
        yield from self._show(held)

    def _show(self, text: str) -> Iterator[Said]:
        fresh: list[Labelled] = []
        checked = MARK.sub(lambda match: self._check(match, fresh), text)
        if checked:
            self._shown.append(checked)
            yield Delta(checked)
        yield from (Cited(memory) for memory in fresh)

    def _check(self, match: re.Match[str], fresh: list[Labelled]) -> str:
        blank, inside = match.groups()
        names = list_references(inside)
        if not names or self._is_year(names):
            return match[0]
        found = [memory for name in names if (memory := find_memory(self._gathered, name))]
        self.dropped += len(names) - len(found)
        for memory in found:
            if memory.label not in self.cited:
                self.cited[memory.label] = memory
                fresh.append(memory)
        return blank + "".join(memory.mark for memory in found) if found else ""

    def _is_year(self, names: list[str]) -> bool:
        name = names[0]
        return len(names) == 1 and name.isdigit() and int(name) in YEARS and self._gathered.find(int(name)) is None
