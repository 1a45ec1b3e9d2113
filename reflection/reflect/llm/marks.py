"""What a mark looks like: numbers or ids of memories in square brackets, of whichever script."""

import re

from reflection.reflect.llm.references import list_references

LONGEST_MARK = 200  # characters between brackets: five ids, or some forty numbers
PAIRS = (("[", "]"), ("\u3010", "\u3011"), ("\uff3b", "\uff3d"))  # the others as models write them in East Asian texts
ANY_BRACKET = re.escape("".join(bracket for pair in PAIRS for bracket in pair))
INSIDE = rf"[^{ANY_BRACKET}\n]"
OPENING = f"[{re.escape(''.join(opening for opening, _ in PAIRS))}]"
MARK = re.compile(
    r"([ \t]*)(?:"
    + "|".join(rf"{re.escape(one)}({INSIDE}{{1,{LONGEST_MARK}}}){re.escape(other)}" for one, other in PAIRS)
    + ")"
)
# What may still become a mark, or the blank before one that has to go with it.
UNFINISHED = re.compile(rf"(?<![ \t])[ \t]*(?:{OPENING}{INSIDE}{{0,{LONGEST_MARK}}})?\Z")
SOURCE = re.compile(r"\u2020.*$")  # some models write what kind of source it is behind the number
YEARS = range(1900, 2100)


def read_names(mark: re.Match[str]) -> list[str]:
    """What the brackets name; none where anything else stands between them."""
    inside = next(group for group in mark.groups()[1:] if group is not None)
    return list_references(SOURCE.sub("", inside))


def unmark(text: str) -> str:
    """A text of others without what would pass for marks of ours: its "[12]" is a footnote, and becomes "(12)"."""
    return MARK.sub(lambda mark: f"{mark[1]}({mark[0].strip()[1:-1]})" if read_names(mark) else mark[0], text)


def drop_marks(text: str) -> str:
    """For what is read long after the answer: the numbers hold for that one alone."""
    return MARK.sub(lambda mark: mark[0] if are_years(names := read_names(mark)) or not names else "", text)


def are_years(names: list[str]) -> bool:
    """As in "[2023]", a date that somebody put in brackets."""
    return bool(names) and all(name.isdigit() and int(name) in YEARS for name in names)
