"""The keys under which names are stored and found."""

import re
from functools import lru_cache

from banks.entities.names.first_names import formal_names_of
from banks.entities.names.parsed import ParsedName, parse_name
from banks.entities.names.vocabulary import LINKING_WORDS

_MIN_ACRONYM = 2
_MAX_ACRONYM = 6
_REMEMBERED_NAMES = 5_000  # some 3 KB each


def normalise_name(name: str) -> str:
    """The common form of two spellings of a name: no case, accents, emoji, article, title or legal form.

    A title before a single word stays, because it is half of the name: "Dr Smith", "Dr Pepper".
    """
    return parse_name(name).key


def identity_key(name: str) -> str:
    """The normal form with legal form and generation, for the unique constraint: "acme|inc", "john smith|jr"."""
    return parse_name(name).identity


def spelling_key(name: str) -> str:
    """The normal form and the spelling without case and extra spaces: "google|google inc."."""
    return f"{normalise_name(name)}|{' '.join(name.split()).casefold()}"


def alias_keys(name: str) -> tuple[str, str]:
    """The keys of the rows of a name: its normal form and its spelling."""
    return normalise_name(name), spelling_key(name)


def trigrams(name: str) -> frozenset[str]:
    """The trigrams of each word, padded as in pg_trgm, so that the beginning of a word weighs more than its end."""
    words = (f"  {word} " for spelling in parse_name(name).spellings for word in spelling.split())
    return frozenset(word[i : i + 3] for word in words for i in range(len(word) - 2))


@lru_cache(maxsize=_REMEMBERED_NAMES)
def index_keys(name: str) -> frozenset[str]:
    """Trigrams, and keys for names without shared letters: nicknames (Bob, Robert) and acronyms (NYC, New York City).

    Every key is compared by equality. The special keys are longer than a trigram and start with `=`.
    """
    return trigrams(name) | _nickname_keys(name) | _acronym_keys(name)


def _nickname_keys(name: str) -> frozenset[str]:
    first = parse_name(name).words[0]
    return frozenset(f"=given:{formal}" for formal in {first, *formal_names_of(first)})


def _acronym_keys(name: str) -> frozenset[str]:
    parsed = parse_name(name)
    if parsed.is_acronym_like:
        return frozenset({f"=acronym:{parsed.compact}"})
    return frozenset(f"=acronym:{acronym}" for acronym in acronyms_of(parsed))


def acronyms_of(name: ParsedName) -> frozenset[str]:
    """The acronyms with and without linking words: the Department of Justice is DOJ, the Bureau of Investigation BI."""
    words = (*name.words, name.legal_form) if name.legal_form else name.words  # the C of BBC is "Corporation"
    all_letters = "".join(word[:1] for word in words)
    main_letters = "".join(word[:1] for word in words if word not in LINKING_WORDS)
    return frozenset(a for a in (all_letters, main_letters) if _MIN_ACRONYM <= len(a) <= _MAX_ACRONYM)


def mentions(text: str, name: str) -> bool:
    """Whether the text has the name as a whole word, in any case."""
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
