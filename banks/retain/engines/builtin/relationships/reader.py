"""subject - relation - object for the wordings that are common and clear. Denied, wished and asked ones are left."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from banks.english.parsed import Parsed
from banks.english.spelling import spell_one_way
from banks.english.word_set import word_set
from banks.retain.engines.builtin.naming import tidy
from banks.retain.engines.builtin.relationships.announcements import find_announced
from banks.retain.engines.builtin.relationships.beginnings import find_beginning
from banks.retain.engines.builtin.relationships.beside import is_beside, is_for_a_while
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.counting import is_of_a_home, name_counted, write_amount
from banks.retain.engines.builtin.relationships.employment import find_employment, find_workplace
from banks.retain.engines.builtin.relationships.endings import find_endings, tell_end
from banks.retain.engines.builtin.relationships.favourites import find_favourites
from banks.retain.engines.builtin.relationships.occupations import find_occupations
from banks.retain.engines.builtin.relationships.partings import find_partings
from banks.retain.engines.builtin.relationships.patterns import FORMER, PATTERNS, Pattern
from banks.retain.engines.builtin.relationships.relatives import find_relatives
from banks.retain.engines.builtin.relationships.taken_back import find_taken_back
from banks.retain.engines.builtin.relationships.vouching import is_vouched_for
from banks.retain.engines.builtin.relationships.weddings import find_weddings
from banks.retain.relationships.relations import Ending, Staying, TakenBack, beside, holds_one_value
from banks.retain.types import FoundRelationship

WHERE = frozenset({"in"})
# What is not told of the present, and when it was nobody can tell: "I joined Acme when I was young".
ELSEWHEN = word_set("when after before while once since ago had then later already previously originally")


@dataclass(frozen=True)
class Reader:
    """A piece with the name that stands for "I" in it (None: unknown) and the day from which news hold.

    `said_at` is when a beginning is told of without a day; None where that may be long past. `told_at` is when the
    piece was told or written in any case. `people` are names that the tagger need not recognise.
    """

    parsed: Parsed
    speaker: str | None
    since: datetime | None = None
    people: frozenset[str] = frozenset()
    said_at: datetime | None = None
    told_at: datetime | None = None

    @cached_property
    def clauses(self) -> Clauses:
        return Clauses(self.parsed, self.speaker, self.people)

    def find(self) -> tuple[FoundRelationship, ...]:
        found: dict[tuple[str, str, str], FoundRelationship] = {}
        for sentence in self.parsed.sentences:
            if self.parsed.words[sentence[-1]].text.endswith("?"):
                continue
            for place in sentence:
                for each in self._stand(place, self._at(place)):
                    key = each.subject, each.relation, each.object.casefold()
                    if key not in found or (isinstance(each, Ending) and not isinstance(found[key], Ending)):
                        found[key] = each
        return tuple(self._begun_at_the_end(_without_replaced(list(found.values()))))

    def _begun_at_the_end(self, found: Sequence[FoundRelationship]) -> Iterator[FoundRelationship]:
        """What is told together with the end of the former began then."""
        ends = {(each.subject, each.relation): each.valid_from for each in found if isinstance(each, Ending)}
        for each in found:
            place = each.subject, each.relation
            is_next = place in ends and not isinstance(each, Ending) and holds_one_value(each.relation)
            since = ends.get(place) or self.said_at
            yield replace(each, valid_from=since) if is_next and each.valid_from is None else each

    def _stand(self, place: int, found: Iterable[FoundRelationship]) -> Iterator[FoundRelationship]:
        """Without what the speaker does not stand for, and what is so for a while; and what adds to others as such."""
        for each in found:
            is_own = each.subject == self.speaker or each.subject.startswith(f"{self.speaker}'s ")
            if not is_vouched_for(self.clauses, place, is_own=is_own):
                continue
            if isinstance(each, Ending | TakenBack | Staying) or not holds_one_value(each.relation):
                yield each
            elif self._is_announced(each) or not is_for_a_while(self.clauses, place):
                yield beside(each) if is_beside(self.clauses, place) else each

    def _is_announced(self, each: FoundRelationship) -> bool:
        return bool(each.valid_from and self.told_at and each.valid_from > self.told_at)

    def _at(self, place: int) -> Iterator[FoundRelationship]:
        lower = self.parsed.words[place].lower
        for pattern in PATTERNS:
            if lower in pattern.words:
                yield from self._by_pattern(place, pattern)
        began = self._beginning(place)
        yield from find_employment(self.clauses, place, since=began)
        yield from find_occupations(self.clauses, place, since=began)
        yield from find_weddings(self.clauses, place, since=began)
        yield from find_endings(self.clauses, place, since=self.since)
        yield from find_partings(self.clauses, place, since=self.since)
        if self.told_at:
            yield from find_announced(self.clauses, place, told_at=self.told_at)
        yield from find_taken_back(self.clauses, place)
        if lower in {"have", "has", "got"}:
            yield from self._count(place)
        yield from find_favourites(self.clauses, place, since=self.since)
        yield from find_relatives(self.clauses, place)

    def _by_pattern(self, place: int, pattern: Pattern) -> Iterator[FoundRelationship]:
        subject = self.clauses.subject(place, counts_we=pattern.counts_we)
        target = self._object(place, pattern)
        is_over = pattern.is_state and self.clauses.is_over(place)
        if subject is None or target is None or not (is_over or self.clauses.is_real(place)):
            return
        name = None if pattern.is_value else self._name(target, pattern)
        phrase = name or ("" if pattern.needs_name else self.clauses.phrase(target))
        shown = tidy(phrase)
        if not shown or (pattern.is_general and self.clauses.is_pointed_at(target)):
            return
        if is_over:
            yield from tell_end(subject, pattern.relation, shown, since=self.since, is_value=name is None)
            return
        if worded := self._worded(place, pattern):
            relation, wording = worded
            first = FoundRelationship(
                subject=subject,
                relation=relation,
                object=shown,
                text=wording.format(subject=subject, object=phrase),
                object_is_value=name is None,
                valid_from=self._since(place, pattern),
            )
            yield first
            for other in self.clauses.names_joined_to(target) if name and holds_one_value(relation) else ():
                yield beside(replace(first, object=other, text=wording.format(subject=subject, object=other)))

    def _name(self, target: int, pattern: Pattern) -> str | None:
        """Who lives in a flat in Porto lives in Porto."""
        name = self.clauses.name_within(target)
        further = self.clauses.object_after(target, WHERE) if pattern.needs_name and name is None else None
        return name if further is None else self.clauses.name_within(further)

    def _worded(self, place: int, pattern: Pattern) -> tuple[str, str] | None:
        if pattern.is_state and self.clauses.is_past(place):
            return FORMER.get(pattern.relation)
        return pattern.relation, pattern.wording

    def _since(self, place: int, pattern: Pattern) -> datetime | None:
        """Of a state that is told of now nobody knows, unless its sentence names a time ahead."""
        if pattern.begins or self.clauses.is_begun(place):
            return self._beginning(place)
        if not pattern.is_state or self.told_at is None or self.clauses.is_past(place):
            return None
        return find_beginning(self.parsed.sentence_text(self.parsed.sentence_of(place)), said_at=self.told_at)

    def _beginning(self, place: int) -> datetime | None:
        """What has just begun did so when it was said, unless the sentence says another time."""
        if self.since or self.said_at is None:
            return self.since
        sentence = self.parsed.sentence_of(place)
        words = [self.parsed.words[at] for at in sentence]
        dates = [name for name in self.parsed.names if name.label == "DATE"]
        is_dated = any(words[0].start <= name.start < words[-1].end for name in dates)
        return None if is_dated or any(word.lower in ELSEWHEN for word in words) else self.said_at

    def _object(self, place: int, pattern: Pattern) -> int | None:
        """Who moves something to a place need not live there."""
        direct = self.parsed.child(place, "dobj")
        if not pattern.prepositions:
            return direct
        if direct and pattern.begins:
            return None
        if pattern.relation == "works_at":
            return find_workplace(self.clauses, place, pattern.prepositions)
        return self.clauses.object_after(place, pattern.prepositions)

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


def _without_replaced(found: Sequence[FoundRelationship]) -> list[FoundRelationship]:
    """What begins after the end of "my job" closes that job itself; the end, which names none, would close both."""
    begun = {
        (each.subject, each.relation): at
        for at, each in enumerate(found)
        if each.valid_from and not isinstance(each, Ending)
    }
    return [
        each
        for at, each in enumerate(found)
        if each.object or not isinstance(each, Ending) or begun.get((each.subject, each.relation), at) <= at
    ]
