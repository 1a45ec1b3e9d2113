"""The marks in an answer: those of memories that were found are kept, others go, while the text still arrives."""

import re
from collections.abc import Iterator

from reflection.reflect.events import Cited, Delta, Said
from reflection.reflect.llm.marks import MARK, UNFINISHED, are_years, read_names
from reflection.reflect.llm.references import find_memory
from reflection.reflect.llm.verbatim import is_verbatim
from reflection.reflect.lookups.gathered import Gathered
from reflection.reflect.types import Labelled


class CitedText:
    """The text as it is shown, the memories that it names, and how many marks named none."""

    def __init__(self, gathered: Gathered) -> None:
        self.cited: dict[int, Labelled] = {}
        self.dropped = 0
        self._gathered = gathered
        self._held = ""
        self._heard = ""
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
        heard, self._heard = self._heard, self._heard + text
        checked = MARK.sub(lambda mark: self._check(mark, heard + text[: mark.start()], fresh), text)
        if checked:
            self._shown.append(checked)
            yield Delta(checked)
        yield from (Cited(memory) for memory in fresh)

    def _check(self, mark: re.Match[str], before: str, fresh: list[Labelled]) -> str:
        names = read_names(mark)
        found = [memory for name in names if (memory := find_memory(self._gathered, name))]
        if not names or (are_years(names) and not found) or is_verbatim(before, names):
            return mark[0]
        self.dropped += len(names) - len(found)
        for memory in found:
            if memory.label not in self.cited:
                self.cited[memory.label] = memory
                fresh.append(memory)
        return mark[1] + "".join(memory.mark for memory in found) if found else ""
