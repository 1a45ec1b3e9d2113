"""Who does what in a clause, and whether it is told as true."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banks.english.parsed import Parsed
from banks.english.word_set import word_set
from banks.kinship import RELATIVES
from banks.retain.engines.builtin.naming import KINDS, tidy
from banks.retain.engines.builtin.relationships.no_more import mentions_no_more, says_no_more

UNREAL = word_set(
    "would could might may should want wants wanted hope hopes hoping wish wishes wishing wished if 'd like never",
    "plan plans planning going gonna will 'll wo used almost nearly unless whether maybe perhaps dream dreamt dreamed",
    "imagine imagined pretend pretended suppose supposing",
)
BEGAN = frozenset({"started", "start", "starts", "starting", "began", "begun"})  # "I started working at"
GOING_TO = frozenset({"going", "gon"})  # "I'm going to move", "I'm gonna move"
SHARING = frozenset({"acomp", "attr", "conj"})  # these have the subject of the word above them
BELOW = frozenset({"xcomp", "advcl", "pcomp", "csubj", "relcl"})  # "want to live in", "the day I moved to"
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
MISREAD = frozenset({"npadvmod", "advmod"})  # what the parser takes "Tom" for in "Tom and I got divorced"
ABILITY = frozenset({"can", "ca", "need", "must"})  # who "can't live here anymore" still does
PAST_AUXILIARIES = frozenset({"was", "were", "had"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "VBG"})
POINTERS = frozenset({"the", "this", "that", "these", "those"})
UNRESOLVED = frozenset({"your", "his", "her", "their", "its", "our", "my"})
NO_OBJECTS = frozenset({"DATE", "TIME"})
CLAUSES = frozenset({"relcl", "advcl", "acl", "appos", "ccomp", "parataxis", "npadvmod", "advmod"})
VAGUE = word_set(
    "it them that this those these one ones him her me you us thing things something lot way while bit kind type part"
)
LONGEST_OBJECT = 60


@dataclass(frozen=True)
class Clauses:
    """A piece with the name that stands for "I" in it (None: unknown).

    `people` are names that the tagger, which takes many a first word for a noun, need not recognise.
    """

    parsed: Parsed
    speaker: str | None
    people: frozenset[str] = frozenset()

    def is_real(self, place: int) -> bool:
        """Neither denied nor wished; a verb below another ("want to live in") is not told as true."""
        around = self.around(list(self.up_to_subject(place)))
        is_denied = any(self.parsed.words[at].dep == "neg" for at in around) or mentions_no_more(self.parsed, around)
        return not is_denied and self._is_told(list(self.carriers(place)))

    def is_over(self, place: int) -> bool:
        """Told as true no more. A verb that is only joined to such a one ("and now rent a flat") may hold."""
        words = self.parsed.words
        carriers = [place, words[place].head] if words[place].dep in {"acomp", "attr"} else [place]
        around = self.around(carriers)
        is_able = any(words[at].lower in ABILITY for at in around)
        is_told = self._is_told(carriers) and not is_able and not self.is_past(place)
        return is_told and says_no_more(self.parsed, around)

    def _is_told(self, carriers: Sequence[int]) -> bool:
        words = self.parsed.words
        around = [*self.around(carriers), words[carriers[-1]].head]
        is_below = words[carriers[-1]].dep in BELOW or any(self._is_going_to(at) for at in carriers)
        return not is_below and not any(
            words[at].lower in UNREAL for at in around if at not in carriers and words[at].dep not in SUBJECTS
        )

    def up_to_subject(self, place: int) -> Iterator[int]:
        """What is denied of one subject is not denied of the next: "I don't rent there, but I live there"."""
        for at in self.carriers(place):
            yield at
            if self.parsed.child(at, *SUBJECTS) is not None:
                return

    def around(self, carriers: Sequence[int]) -> list[int]:
        below = (at for each in carriers for at in self.parsed.children.get(each, ()))
        return [at for at in below if self.parsed.words[at].dep != "conj" and at not in carriers]

    def is_begun(self, place: int) -> bool:
        """As in "I started working"."""
        return self.parsed.words[self.parsed.words[place].head].lower in BEGAN

    def is_past(self, place: int) -> bool:
        """As in "worked" and "was working", unlike "have worked"."""
        words = self.parsed.words
        helping = {words[at].lower for at in self.parsed.children.get(place, ()) if words[at].dep.startswith("aux")}
        if words[place].dep in {"acomp", "attr"}:
            helping.add(words[words[place].head].lower)
        return words[place].tag == "VBD" or bool(helping & PAST_AUXILIARIES)

    def subject(self, place: int, *, counts_we: bool = False) -> str | None:
        """The subject of the verb, of the verb it is joined to, or of the "be" before an adjective.

        `counts_we`: who says "we" did it, too.
        """
        subject = self.subject_place(place)
        return None if subject is None else self._who(subject, counts_we=counts_we)

    def subject_place(self, place: int) -> int | None:
        words = self.parsed.words
        for at in self.carriers(place):
            below = self.parsed.children.get(at, ())
            subjects = [child for child in below if words[child].dep in SUBJECTS]
            misread = [child for child in below if child < at and words[child].dep in MISREAD and self.is_proper(child)]
            if subjects or misread:
                return (subjects or misread)[-1]
        return None

    def carriers(self, place: int) -> Iterator[int]:
        """The word, and those above it whose subject it shares."""
        words = self.parsed.words
        yield place
        while words[place].head != place and (
            words[place].dep in SHARING or self._is_begun_below(place) or self._is_going_to(place)
        ):
            place = words[place].head
            yield place

    def own_verbs(self, place: int) -> list[int]:
        """The verb with those that help it: "going" in "going to move", "start" in "start working"."""
        verbs = [place]
        while self._is_begun_below(verbs[-1]) or self._is_going_to(verbs[-1]):
            verbs.append(self.parsed.words[verbs[-1]].head)
        return verbs

    def _is_begun_below(self, place: int) -> bool:
        return self.parsed.words[place].dep == "xcomp" and self.is_begun(place)

    def _is_going_to(self, place: int) -> bool:
        word = self.parsed.words[place]
        return word.dep == "xcomp" and self.parsed.words[word.head].lower in GOING_TO

    def _who(self, place: int, *, counts_we: bool) -> str | None:
        word = self.parsed.words[place]
        joined = {
            self.parsed.words[at].lower for at in self.parsed.subtree(place) if self.parsed.words[at].dep == "conj"
        }
        if "i" in {word.lower, *joined} or (counts_we and word.lower == "we"):
            return self.speaker
        if self.is_proper(place):
            return self.name_within(place)
        owner = self.owner(place)
        return f"{owner}'s {word.lower}" if owner and word.lower in RELATIVES else None

    def owner(self, place: int) -> str | None:
        owner = self.parsed.child(place, "poss")
        if owner is None:
            return None
        if self.parsed.words[owner].lower == "my":
            return self.speaker
        return self.name_within(owner) if self.is_proper(owner) else None

    def object_after(self, place: int, prepositions: frozenset[str]) -> int | None:
        """What stands after one of the prepositions, also past an adverb: "moved back to"."""
        words = self.parsed.words
        near = self.parsed.children.get(place, ())
        beyond = (at for by in near if words[by].dep == "advmod" for at in self.parsed.children.get(by, ()))
        for at in (*near, *beyond):
            if words[at].lower in prepositions and words[at].dep in {"prep", "agent"}:
                return self.parsed.child(at, "pobj")
        return None

    def name_within(self, place: int) -> str | None:
        """The named entity around a word, else the run of proper nouns that it ends."""
        word = self.parsed.words[place]
        for name in self.parsed.names:
            if name.start <= word.start < name.end and name.label in KINDS:
                return tidy(self.parsed.text[name.start : name.end]) or None
        if not self.is_proper(place):
            return None
        first = place
        while first > 0 and self.is_proper(first - 1):
            first -= 1
        return tidy(self.parsed.span(list(range(first, place + 1)))) or None

    def names_joined_to(self, place: int) -> list[str]:
        """As Aldi in "at Siemens and Aldi" and in "at Siemens and at Aldi"."""
        words = self.parsed.words
        joined = [at for at in self.parsed.children.get(place, ()) if words[at].dep == "conj"]
        prepositions = [at for at in self.parsed.children.get(words[place].head, ()) if words[at].dep == "conj"]
        joined += [thing for at in prepositions if (thing := self.parsed.child(at, "pobj")) is not None]
        return [name for at in joined if (name := self.name_within(at))]

    def name_after(self, place: int) -> str | None:
        """As in "my sister Emily" and "my husband, Tom"."""
        words = self.parsed.words
        first = place + 1 + (place + 1 < len(words) and words[place + 1].text == ",")
        run = first
        while run < len(words) and self.is_proper(run):
            run += 1
        return tidy(self.parsed.span(list(range(first, run)))) or None if run > first else None

    def is_proper(self, place: int) -> bool:
        word = self.parsed.words[place]
        return word.tag in {"NNP", "NNPS"} or word.text in self.people

    def is_pointed_at(self, place: int) -> bool:
        return any(self.parsed.words[at].lower in POINTERS for at in self.parsed.children.get(place, ()))

    def phrase(self, place: int) -> str:
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
        return self.parsed.span(_without_gaps(kept, place))[:LONGEST_OBJECT].rstrip(" ,;:")

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
