"""The keys under which names are stored and found."""

from functools import lru_cache

from banks.entities.names.given_names import formal_names_of
from banks.entities.names.parsed import ParsedName, parse_name
from banks.entities.names.vocabulary import LINKING_WORDS

_MIN_ACRONYM = 2
_MAX_ACRONYM = 6
_REMEMBERED_NAMES = 5_000  # some 3 KB each


def normalise_name(name: str) -> str:
    """What two writings of a name share: no case, accents, emoji, article, title or legal form.

    A title that stands before a single word stays, since it is half of what is known: "Dr Smith", "Dr Pepper".
    """
    return parse_name(name).key


def identity_key(name: str) -> str:
    """With all that can tell two entities apart, for a unique constraint: "acme|inc", "john smith|jr"."""
    return parse_name(name).identity


def spelling_key(name: str) -> str:
    """Of a name as it is written, case and spaces aside: "google|google inc.". Begins with the normal form."""
    return f"{normalise_name(name)}|{' '.join(name.split()).casefold()}"


def alias_keys(name: str) -> tuple[str, str]:
    """Under which the rows of a name stand: its normal form's, and the one of this spelling."""
    return normalise_name(name), spelling_key(name)


def trigrams(name: str) -> frozenset[str]:
    """Three letters at a time of each word, padded as pg_trgm does: a word's beginning weighs more than its end."""
    words = (f"  {word} " for spelling in parse_name(name).spellings for word in spelling.split())
    return frozenset(word[i : i + 3] for word in words for i in range(len(word) - 2))


@lru_cache(maxsize=_REMEMBERED_NAMES)
def index_keys(name: str) -> frozenset[str]:
    """Trigrams, and keys for what shares no letters: nicknames (Bob, Robert) and acronyms (NYC, New York City).

    Every key is compared by equality. The special ones are longer than a trigram and start with `=`.
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
    """With and without the linking words: the Department of Justice is DOJ, the Bureau of Investigation BI."""
    words = (*name.words, name.legal_form) if name.legal_form else name.words  # the C of BBC is "Corporation"
    all_letters = "".join(word[:1] for word in words)
    main_letters = "".join(word[:1] for word in words if word not in LINKING_WORDS)
    return frozenset(a for a in (all_letters, main_letters) if _MIN_ACRONYM <= len(a) <= _MAX_ACRONYM)
