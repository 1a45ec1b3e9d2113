"""Citation marks: numbers or ids of memories in square brackets, checked while the text of an answer arrives."""

import re
from collections.abc import Iterator, Sequence

from reflection.reflect.citation_support import YEARS, CitationCheck
from reflection.reflect.found_memories import FoundMemories, list_references
from reflection.reflect.types import Cited, Delta, LabelledMemory, TextEvent

LONGEST_MARK = 200  # characters between brackets: five ids, or some forty numbers
PAIRS = (("[", "]"), ("\u3010", "\u3011"), ("\uff3b", "\uff3d"))  # models use the others in East Asian texts
ANY_BRACKET = re.escape("".join(bracket for pair in PAIRS for bracket in pair))
INSIDE = rf"[^{ANY_BRACKET}\n]"
OPENING = f"[{re.escape(''.join(opening for opening, _ in PAIRS))}]"
MARK = re.compile(
    r"([ \t]*)(?:"
    + "|".join(rf"{re.escape(one)}({INSIDE}{{1,{LONGEST_MARK}}}){re.escape(other)}" for one, other in PAIRS)
    + ")"
)
# The beginning of a mark, or the blank before one, which is dropped with it.
UNFINISHED = re.compile(rf"(?<![ \t])[ \t]*(?:{OPENING}{INSIDE}{{0,{LONGEST_MARK}}})?\Z")
SOURCE_KIND = re.compile(r"\u2020.*$")  # some models add the kind of the source behind the number
LEAST_CLAUSE = 3  # words
SENTENCE_END = re.compile(r"(?<=[.!?\u3002])\s+|\n+")

FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)", re.MULTILINE)
PROSE = frozenset({"", "text", "txt", "plaintext", "markdown", "md"})  # an answer in such a fence has marks
BRACE = re.compile(r"\{(?=\s*\")|\}")  # an object with a name in it, not "{sic}"


class CitedText:
    """The text as it is shown, and the memories that it cites.

    `dropped` counts marks that name no shown memory, `unsupported` those of a memory that does not support the
    sentence.
    """

    def __init__(self, found: FoundMemories) -> None:
        self.cited: dict[int, LabelledMemory] = {}
        self.dropped = 0
        self.unsupported = 0
        self._found = found
        self._held = ""
        self._raw = ""
        self._shown: list[str] = []
        self._support = CitationCheck(found)

    @property
    def text(self) -> str:
        return "".join(self._shown).strip()

    def feed(self, piece: str) -> Iterator[TextEvent]:
        whole = self._held + piece
        unfinished = UNFINISHED.search(whole)
        cut = unfinished.start() if unfinished else len(whole)
        self._held = whole[cut:]
        yield from self._show(whole[:cut])

    def end(self) -> Iterator[TextEvent]:
        held, self._held = self._held, ""
        yield from self._show(held)

    def _show(self, text: str) -> Iterator[TextEvent]:
        fresh: list[LabelledMemory] = []
        before, self._raw = self._raw, self._raw + text
        checked = MARK.sub(lambda mark: self._check(mark, before + text[: mark.start()], fresh), text)
        if checked:
            self._shown.append(checked)
            yield Delta(checked)
        yield from (Cited(memory) for memory in fresh)

    def _check(self, mark: re.Match[str], before: str, fresh: list[LabelledMemory]) -> str:
        names = read_names(mark)
        found = [memory for name in names if (memory := self._found.find_shown(name))]
        if not names or (are_years(names) and not found) or is_data(before, names):
            return mark[0]
        self.dropped += len(names) - len(found)
        statements = find_statements(before)
        supporting = [memory for memory in found if any(self._support.supports(memory, one) for one in statements)]
        self.unsupported += len(found) - len(supporting)
        found = supporting
        for memory in found:
            if memory.label not in self.cited:
                self.cited[memory.label] = memory
                fresh.append(memory)
        return mark[1] + "".join(memory.mark for memory in found) if found else ""


def find_statements(before: str) -> list[str]:
    """A mark stands for the sentence up to it, without its other marks, or for the words since the mark before."""
    sentence = SENTENCE_END.split(drop_marks(before).rstrip())[-1]
    marks = [mark for mark in MARK.finditer(before) if read_names(mark)]
    since = before[marks[-1].end() :] if marks else ""
    is_clause = len(since) < len(sentence) and len(since.split()) >= LEAST_CLAUSE
    return [sentence, since] if is_clause else [sentence]


def read_names(mark: re.Match[str]) -> list[str]:
    """The references between the brackets. Empty if anything else stands between them."""
    inside = next(group for group in mark.groups()[1:] if group is not None)
    return list_references(SOURCE_KIND.sub("", inside))


def replace_marks(text: str) -> str:
    """A quoted text whose "[12]" becomes "(12)": it is a footnote and must not pass for a citation."""
    return MARK.sub(lambda mark: f"{mark[1]}({mark[0].strip()[1:-1]})" if read_names(mark) else mark[0], text)


def drop_marks(text: str) -> str:
    """For texts that outlive the answer: the numbers are valid in that answer only."""
    return MARK.sub(lambda mark: mark[0] if are_years(names := read_names(mark)) or not names else "", text)


def are_years(names: list[str]) -> bool:
    """As in "[2023]"."""
    return bool(names) and all(name.isdigit() and int(name) in YEARS for name in names)


def is_data(before: str, names: Sequence[str]) -> bool:
    """The text before a bracket shows that it belongs to JSON or code.

    Several numbers at the very beginning of an answer are an array: there is no statement yet to cite for.
    """
    is_array = len(names) > 1 and not before.strip()
    return is_array or is_in_array(before) or is_in_code(before) or is_in_object(before)


def is_in_array(before: str) -> bool:
    """For an answer that begins with an array."""
    return before.lstrip().startswith("[") and before.count("[") > before.count("]")


def is_in_code(before: str) -> bool:
    language = ""
    for number, fence in enumerate(FENCE.finditer(before)):
        language = fence[1].casefold() if number % 2 == 0 else ""
    return language not in PROSE


def is_in_object(before: str) -> bool:
    depth = 0
    for brace in BRACE.finditer(before):
        depth = depth + 1 if brace[0] == "{" else max(0, depth - 1)
    return depth > 0
