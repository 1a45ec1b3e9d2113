"""subject - relation - object for the wordings that are common and clear. Denied, wished and asked ones are left."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from banks.retain.engines.builtin.clauses import VAGUE, Clauses
from banks.retain.engines.builtin.counting import is_of_a_home, name_counted, write_amount
from banks.retain.engines.builtin.employment import find_employment
from banks.retain.engines.builtin.endings import find_endings
from banks.retain.engines.builtin.naming import tidy
from banks.retain.engines.builtin.parsed import Parsed
from banks.retain.engines.builtin.relationship_patterns import FORMER, PATTERNS, RELATIVES, Pattern
from banks.retain.engines.builtin.spelling import spell_one_way
from banks.retain.types import FoundRelationship

FAVOURITE = frozenset({"favorite", "favourite", "fave", "fav"})
BE = frozenset({"is", "'s", "was", "are", "were"})


@dataclass(frozen=True)
class Reader:
    """A piece with the name that stands for "I" in it (None: unknown) and the day from which news hold.

    `people` are names that the tagger need not recognise.
    """

    parsed: Parsed
    speaker: str | None
    since: datetime | None = None
    people: frozenset[str] = frozenset()

    @cached_property
    def clauses(self) -> Clauses:
        return Clauses(self.parsed, self.speaker, self.people)

    def find(self) -> tuple[FoundRelationship, ...]:
        found: dict[tuple[str, str, str], FoundRelationship] = {}
        for sentence in self.parsed.sentences:
            if self.parsed.words[sentence[-1]].text.endswith("?"):
                continue
            for place in sentence:
                for each in self._at(place):
                    found.setdefault((each.subject, each.relation, each.object.casefold()), each)
        return tuple(found.values())

    def _at(self, place: int) -> Iterator[FoundRelationship]:
        lower = self.parsed.words[place].lower
        for pattern in PATTERNS:
            if lower in pattern.words:
                yield from self._by_pattern(place, pattern)
        yield from find_employment(self.clauses, place, since=self.since)
        yield from find_endings(self.clauses, place, since=self.since)
        if lower in {"have", "has", "got"}:
            yield from self._count(place)
        if lower in BE:
            yield from self._favourite(place)
        if lower in RELATIVES:
            yield from self._relative(place)

    def _by_pattern(self, place: int, pattern: Pattern) -> Iterator[FoundRelationship]:
        subject = self.clauses.subject(place, counts_we=pattern.counts_we)
        target = self._object(place, pattern)
        if subject is None or target is None or not self.clauses.is_real(place):
            return
        relation, wording = pattern.relation, pattern.wording
        if pattern.is_state and self.clauses.is_past(place):
            if relation not in FORMER:
                return
            relation, wording = FORMER[relation]
        name = None if pattern.is_value else self.clauses.name_within(target)
        phrase = name or ("" if pattern.needs_name else self.clauses.phrase(target))
        shown = tidy(phrase)
        if shown and not (pattern.is_general and self.clauses.is_pointed_at(target)):
            yield FoundRelationship(
                subject=subject,
                relation=relation,
                object=shown,
                text=wording.format(subject=subject, object=phrase),
                object_is_value=name is None,
                valid_from=self.since if pattern.begins or self.clauses.is_begun(place) else None,
            )

    def _object(self, place: int, pattern: Pattern) -> int | None:
        """Who moves something to a place need not live there."""
        direct = self.parsed.child(place, "dobj")
        if not pattern.prepositions:
            return direct
        return None if direct and pattern.begins else self.clauses.object_after(place, pattern.prepositions)

    def _count(self, place: int) -> Iterator[FoundRelationship]:
        target = self.parsed.child(place, "dobj")
        number = None if target is None else self.parsed.child(target, "nummod")
        if target is None or number is None or not self.clauses.is_real(place):
            return
        noun, amount = self.parsed.words[target].lower, self.parsed.words[number].text
        subject = self.clauses.subject(place, counts_we=is_of_a_home(noun))
        if subject:
            text = f"{subject} has {amount} {noun}."
            relation = f"has_{spell_one_way(name_counted(noun))}"
            yield FoundRelationship(subject, relation, write_amount(amount), text, object_is_value=True)

    def _favourite(self, place: int) -> Iterator[FoundRelationship]:
        """As in "my favourite colour is green" and "green is my favourite colour"."""
        first, second = self.parsed.child(place, "nsubj"), self.parsed.child(place, "attr", "acomp")
        if first is None or second is None or not self.clauses.is_real(place):
            return
        for thing, value in ((first, second), (second, first)):
            owner = self.clauses.owner(thing)
            below = self.parsed.children.get(thing, ())
            if owner and any(self.parsed.words[at].lower in FAVOURITE for at in below):
                noun, phrase = self.parsed.words[thing].lower, self.clauses.phrase(value)
                if phrase and noun not in FAVOURITE | VAGUE:
                    text = f"{owner}'s favourite {noun} is {phrase}."
                    relation = f"favourite_{spell_one_way(noun)}"
                    yield FoundRelationship(owner, relation, tidy(phrase), text, object_is_value=True)

    def _relative(self, place: int) -> Iterator[FoundRelationship]:
        """As in "my sister Emily" and "my husband, Tom"."""
        words = self.parsed.words
        owned_by_speaker = any(words[at].lower == "my" for at in range(max(0, place - 2), place))
        first = place + 1 + (place + 1 < len(words) and words[place + 1].text == ",")
        run = first
        while run < len(words) and self.clauses.is_proper(run):
            run += 1
        if self.speaker and owned_by_speaker and run > first:
            name, relative = tidy(self.parsed.span(list(range(first, run)))), words[place].lower
            if name and name != self.speaker:
                yield FoundRelationship(self.speaker, relative, name, f"{name} is {self.speaker}'s {relative}.")
