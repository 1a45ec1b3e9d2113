"""The canonical name of an entity with several names."""

from collections import Counter
from collections.abc import Iterable, Sequence

from banks.entities.names.normalise import identity_key
from banks.entities.names.parsed import ParsedName, parse_name

_FULL_NAME_WORDS = 4  # more words are a description, not a fuller name
ROLE_NAMES = frozenset({"User", "Assistant"})  # names of speakers without a name


def choose_canonical(names: Sequence[str]) -> str:
    """The most complete name, then the most frequent. `names` has one entry for each mention, so repeats count.

    A name whose words begin the words of another is short for it: Mel for Melanie.
    """
    if not names:
        raise ValueError("an entity needs a name")
    counts = Counter(name.strip() for name in names if name not in ROLE_NAMES) or Counter(names)
    written_out = [name for name in counts if not any(_is_short_for(name, other) for other in counts)]
    return min(
        written_out, key=lambda name: (*_incompleteness(parse_name(name)), -counts[name], not name.istitle(), name)
    )


def merge_aliases(canonical: str, *groups: Iterable[str]) -> tuple[str, ...]:
    """All other names, one spelling of each, in their order."""
    kept = {identity_key(canonical): canonical}
    for group in groups:
        for name in group:
            kept.setdefault(identity_key(name), name)
    return tuple(name for key, name in kept.items() if key != identity_key(canonical))


def _is_short_for(name: str, other: str) -> bool:
    words, longer = parse_name(name).words, parse_name(other).words
    if len(words) != len(longer) or words == longer:
        return False
    return all(full.startswith(short) for short, full in zip(words, longer, strict=True))


def _incompleteness(name: ParsedName) -> tuple[int, int]:
    """Initials and acronyms count less than full words."""
    written_out = sum(len(word) > 1 for word in name.words)
    too_long = len(name.words) > _FULL_NAME_WORDS
    return (1 if too_long else -written_out, name.is_acronym_like)
