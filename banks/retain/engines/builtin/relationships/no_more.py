"""Whether words say that something is so no more: "no longer", "not ... anymore"."""

from collections.abc import Sequence

from banks.english.parsed import Parsed

ANY_MORE = frozenset({"longer", "more"})  # after "no" or "any"


def mentions_no_more(parsed: Parsed, places: Sequence[int]) -> bool:
    """Also where the denial stands elsewhere: "I don't think that he works there anymore"."""
    return any(parsed.words[at].lower == "anymore" or _amounts(parsed, at) for at in places)


def says_no_more(parsed: Parsed, places: Sequence[int]) -> bool:
    is_denied = any(parsed.words[at].dep == "neg" for at in places)
    return any("no" in _amounts(parsed, at) for at in places) or (is_denied and mentions_no_more(parsed, places))


def _amounts(parsed: Parsed, place: int) -> set[str]:
    if parsed.words[place].lower not in ANY_MORE:
        return set()
    return {parsed.words[at].lower for at in parsed.children.get(place, ())} & {"no", "any"}
