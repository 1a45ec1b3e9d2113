"""subject - relation - object for the wordings that are common and clear. Denied, wished and asked ones are left."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from banks.retain.engines.builtin.naming import KINDS, tidy
from banks.retain.engines.builtin.parsed import Parsed
from banks.retain.engines.builtin.relationship_patterns import COUNTED_AS, PATTERNS, RELATIVES, Pattern
from banks.retain.engines.builtin.word_set import word_set
from banks.retain.types import FoundRelationship

UNREAL = word_set(
    "would could might may should want wants wanted hope hopes hoping wish wishes wishing if 'd like never",
    "plan plans planning going gonna will 'll wo used",
)
FAVOURITE = frozenset({"favorite", "favourite", "fave", "fav"})
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "VBG"})
POINTERS = frozenset({"the", "this", "that", "these", "those"})
UNRESOLVED = frozenset({"your", "his", "her", "their", "its", "our", "my"})
NO_OBJECTS = frozenset({"DATE", "TIME"})
BE = frozenset({"is", "'s", "was", "are", "were"})
CLAUSES = frozenset({"relcl", "advcl", "acl", "appos", "ccomp", "parataxis", "npadvmod", "advmod"})
VAGUE = word_set(
    "it them that this those these one ones him her me you us thing things something lot way while bit kind type part"
)
LONGEST_OBJECT = 60


@dataclass(frozen=True)
class Reader:
    """A piece with the name that stands for "I" in it (None: unknown) and the day from which news hold.

    `people` are names that the tagger, which takes many a first word for a noun, need not recognise.
    """

    parsed: Parsed
    speaker: str | None
    since: datetime | None = None
    people: frozenset[str] = frozenset()

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
        if lower in {"have", "has", "got"}:
            yield from self._count(place)
        if lower in BE:
            yield from self._favourite(place)
        if lower in RELATIVES:
            yield from self._relative(place)

    def _by_pattern(self, place: int, pattern: Pattern) -> Iterator[FoundRelationship]:
        subject, target = self._subject(place), self._object(place, pattern)
        if subject is None or target is None or not self._is_real(place):
            return
        name = None if pattern.is_value else self._name_within(target)
        phrase = name or self._phrase(target)
        shown = tidy(phrase)
        if shown and not (pattern.is_general and self._is_pointed_at(target)):
            yield FoundRelationship(
                subject=subject,
                relation=pattern.relation,
                object=shown,
                text=pattern.wording.format(subject=subject, object=phrase),
                object_is_value=name is None,
                valid_from=self.since if pattern.begins else None,
            )

    def _count(self, place: int) -> Iterator[FoundRelationship]:
        subject, target = self._subject(place), self.parsed.child(place, "dobj")
        if subject is None or target is None or not self._is_real(place):
            return
        number = self.parsed.child(target, "nummod")
        if number is not None:
            noun = self.parsed.words[target].lower
            amount = self.parsed.words[number].text
            text = f"{subject} has {amount} {noun}."
            yield FoundRelationship(subject, f"has_{COUNTED_AS.get(noun, noun)}", amount, text, object_is_value=True)

    def _favourite(self, place: int) -> Iterator[FoundRelationship]:
        thing, value = self.parsed.child(place, "nsubj"), self.parsed.child(place, "attr", "acomp")
        if thing is None or value is None:
            return
        owner = self._owner(thing)
        below = self.parsed.children.get(thing, ())
        if owner and any(self.parsed.words[at].lower in FAVOURITE for at in below):
            noun, phrase = self.parsed.words[thing].lower, self._phrase(value)
            if phrase and noun not in FAVOURITE | VAGUE:
                text = f"{owner}'s favourite {noun} is {phrase}."
                yield FoundRelationship(owner, f"favourite_{noun}", tidy(phrase), text, object_is_value=True)

    def _relative(self, place: int) -> Iterator[FoundRelationship]:
        """As in "my sister Emily" and "my husband, Tom"."""
        words = self.parsed.words
        owned_by_speaker = any(words[at].lower == "my" for at in range(max(0, place - 2), place))
        first = place + 1 + (place + 1 < len(words) and words[place + 1].text == ",")
        run = first
        while run < len(words) and self._is_proper(run):
            run += 1
        if self.speaker and owned_by_speaker and run > first:
            name, relative = tidy(self.parsed.span(list(range(first, run)))), words[place].lower
            if name and name != self.speaker:
                yield FoundRelationship(self.speaker, relative, name, f"{name} is {self.speaker}'s {relative}.")

    def _subject(self, place: int) -> str | None:
        """The subject of the verb, of the verb it is joined to, or of the "be" before an adjective."""
        parsed = self.parsed
        for at in (place, parsed.words[place].head):
            subjects = [child for child in parsed.children.get(at, ()) if parsed.words[child].dep in SUBJECTS]
            if subjects:
                return self._who(subjects[-1])
            if parsed.words[place].dep not in {"acomp", "attr", "conj"}:
                return None
        return None

    def _who(self, place: int) -> str | None:
        word = self.parsed.words[place]
        if word.lower == "i":
            return self.speaker
        if self._is_proper(place):
            return self._name_within(place)
        owner = self._owner(place)
        return f"{owner}'s {word.lower}" if owner and word.lower in RELATIVES else None

    def _owner(self, place: int) -> str | None:
        owner = self.parsed.child(place, "poss")
        if owner is None:
            return None
        if self.parsed.words[owner].lower == "my":
            return self.speaker
        return self._name_within(owner) if self._is_proper(owner) else None

    def _object(self, place: int, pattern: Pattern) -> int | None:
        if not pattern.prepositions:
            return self.parsed.child(place, "dobj")
        for at in self.parsed.children.get(place, ()):
            if self.parsed.words[at].lower in pattern.prepositions and self.parsed.words[at].dep in {"prep", "agent"}:
                return self.parsed.child(at, "pobj")
        return None

    def _is_real(self, place: int) -> bool:
        """Neither denied nor wished; a verb below another ("want to live in") is not told as true."""
        words = self.parsed.words
        around = [*self.parsed.children.get(place, ()), words[place].head]
        if words[place].dep in {"acomp", "attr", "conj"}:
            around += self.parsed.children.get(words[place].head, ())
        is_below = words[place].dep in {"xcomp", "advcl", "pcomp", "csubj"}
        return not is_below and not any(
            words[at].dep == "neg" or words[at].lower in UNREAL for at in around if at != place
        )

    def _name_within(self, place: int) -> str | None:
        """The named entity around a word, else the run of proper nouns that it ends."""
        word = self.parsed.words[place]
        for name in self.parsed.names:
            if name.start <= word.start < name.end and name.label in KINDS:
                return tidy(self.parsed.text[name.start : name.end]) or None
        if not self._is_proper(place):
            return None
        first = place
        while first > 0 and self._is_proper(first - 1):
            first -= 1
        return tidy(self.parsed.span(list(range(first, place + 1)))) or None

    def _is_proper(self, place: int) -> bool:
        word = self.parsed.words[place]
        return word.tag in {"NNP", "NNPS"} or word.text in self.people

    def _is_pointed_at(self, place: int) -> bool:
        return any(self.parsed.words[at].lower in POINTERS for at in self.parsed.children.get(place, ()))

    def _phrase(self, place: int) -> str:
        """The noun with what stands before it, its "of" and its "and"; empty where it can't stand alone.

        Clauses that follow tell something else.
        """
        if not self._can_stand_alone(place):
            return ""
        left_out: set[int] = set()
        for at in self.parsed.children.get(place, ()):
            word = self.parsed.words[at]
            if word.dep in CLAUSES or (word.dep == "prep" and word.lower != "of"):
                left_out.update(self.parsed.subtree(at))
        kept = [at for at in self.parsed.subtree(place) if at not in left_out]
        return self.parsed.span(_without_gaps(kept, place))[:LONGEST_OBJECT]

    def _can_stand_alone(self, place: int) -> bool:
        word = self.parsed.words[place]
        is_time = any(name.start <= word.start < name.end and name.label in NO_OBJECTS for name in self.parsed.names)
        owners = {self.parsed.words[at].lower for at in self.parsed.children.get(place, ())} & UNRESOLVED
        is_noun = word.tag in NOUNS or word.tag.startswith("JJ")
        return is_noun and word.lower not in VAGUE and not is_time and not owners


def _without_gaps(places: list[int], around: int) -> list[int]:
    run = [around]
    while run[0] - 1 in places:
        run.insert(0, run[0] - 1)
    while run[-1] + 1 in places:
        run.append(run[-1] + 1)
    return run
