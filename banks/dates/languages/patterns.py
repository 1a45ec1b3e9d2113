"""Words of a table as parts of regular expressions."""

import re
from collections.abc import Iterable

from banks.dates.languages.vocabulary import Vocabulary


def any_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)"


def led_by_any(names: Iterable[str]) -> str:
    """One of these words with the space behind it, or none; what ends with an apostrophe needs no space."""
    return rf"(?:(?:{any_of(names)})(?:(?<=')|\s+))?"


def day_number(language: Vocabulary) -> str:
    return rf"(?<![\d.,:/$€])(?P<day>\d{{1,2}})(?:\.|°|{any_of(language.day_suffixes)})?"
