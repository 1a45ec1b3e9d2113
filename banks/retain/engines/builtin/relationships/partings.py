"""Couples that parted: "Tom and I got divorced", "we broke up", "we aren't engaged anymore"."""

from collections.abc import Iterator
from datetime import datetime

from banks.english.word_set import word_set
from banks.kinship import COUPLE, PARTNERS
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.endings import Left, find_named, has_particle, tell_end
from banks.retain.relationships.relations import Ending

# Where nobody says from whom: "we split up" may be a walk.
PARTING: dict[str, tuple[str, ...]] = {
    "divorced": ("married_to",),
    "separated": ("married_to", "dating"),
    **dict.fromkeys(("broke", "broken", "split"), ("dating", "engaged_to")),
}
NOT_ANY_MORE: dict[str, tuple[str, ...]] = {
    "married": ("married_to",),
    "engaged": ("engaged_to",),
    "together": ("dating", "engaged_to"),
}
ANY_COUPLE = frozenset({"separated", "broke", "broken", "split", "together"})  # from a named one: whatever they were
PARTED_FROM = frozenset({"with", "from"})
TO = frozenset({"to"})
BE = word_set("am 'm is 's are 're")


def find_partings(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[Ending]:
    lower = clauses.parsed.words[place].lower
    if lower in PARTING:
        left, verb, relations = _find_left_partner(clauses, place), place, PARTING[lower]
    elif lower in NOT_ANY_MORE:
        verb, relations = _find_verb(clauses, place), NOT_ANY_MORE[lower]
        left = _find_no_more_partner(clauses, place, verb)
    else:
        return
    subject = clauses.subject(verb, counts_we=True)
    if left is None or subject is None:
        return
    named = COUPLE if left.name and lower in ANY_COUPLE else relations
    for relation in left.relations or named:
        yield from tell_end(subject, relation, left.name, since=since)


def _find_left_partner(clauses: Clauses, place: int) -> Left | None:
    if not has_particle(clauses, place) or not clauses.is_real(place):
        return None
    thing = clauses.parsed.child(place, "dobj")
    if thing is not None:
        return _find_partner(clauses, thing) if clauses.parsed.words[place].lower == "divorced" else None
    left = clauses.object_after(place, PARTED_FROM)
    return find_joined_partner(clauses, place) if left is None else _find_partner(clauses, left)


def _find_no_more_partner(clauses: Clauses, place: int, verb: int) -> Left | None:
    """As in "Tom and I aren't married anymore"; "not married to Tom" has its object."""
    if clauses.object_after(place, TO) is not None or not clauses.is_over(verb):
        return None
    return find_joined_partner(clauses, verb)


def _find_verb(clauses: Clauses, place: int) -> int:
    """Of "we are together" the "are": an adverb has no subject."""
    word = clauses.parsed.words[place]
    return word.head if word.dep == "advmod" and clauses.parsed.words[word.head].lower in BE else place


def find_joined_partner(clauses: Clauses, place: int) -> Left | None:
    """The other one in "Tom and I", "my husband Tom and I", "Alice and Bob"; three are no couple."""
    parsed, first = clauses.parsed, clauses.subject_place(place)
    if first is None:
        return None
    joined = [at for at in parsed.subtree(first) if parsed.words[at].dep == "conj"]
    if len(joined) > 1:
        return None
    if joined:
        return _find_partner(clauses, first if parsed.words[joined[0]].lower == "i" else joined[0])
    misread = parsed.child(place, "npadvmod") if first > 0 and parsed.words[first - 1].lower == "and" else None
    return _find_partner(clauses, misread) if misread is not None and misread < first else Left()


def _find_partner(clauses: Clauses, place: int) -> Left | None:
    """A name or a word for a partner; who is separated from a group has not lost one."""
    noun = clauses.parsed.words[place].lower
    if noun not in PARTNERS:
        return find_named(clauses, place)
    return Left(clauses.name_after(place) or "", PARTNERS[noun])
