"""Relationships that a sentence states: residence, employer, partner and kinship.

Precision comes first, because a new residence, employer or spouse ends the former one. So the rules know a few plain
shapes and nothing else. A clause counts only if it opens its sentence and every part of it belongs to its shape:

    [Well,] I live in Boston [now] [with my wife Anna] [since March] [and work at Stripe] [, and I love it].

"I also live in Boston", "I live in Boston on weekends" and "Tom thinks I live in Boston" have another shape. Kinship is
mostly a noun phrase, "my sister Emily", at the start of a sentence or after a preposition.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from banks.chunking.spans import split_sentences
from banks.entities.names.first_names import Gender, genders_of, is_any_name, is_known
from banks.entities.names.spelling import fold
from banks.types import FoundRelationship
from rules.parser import TIMES, ParsedText

MAX_SENTENCE = 300  # characters; the bound keeps the reading linear

VERBS = {
    "lives_in": "lives in",
    "works_at": "works at",
    "married_to": "is married to",
    "engaged_to": "is engaged to",
    "dating": "is dating",
}
MEN = ("father", "dad", "brother", "son", "uncle", "nephew", "grandfather", "grandpa", "husband", "boyfriend")
WOMEN = ("mother", "mom", "mum", "sister", "daughter", "aunt", "niece", "grandmother", "grandma", "wife", "girlfriend")
ANYONE = ("cousin", "grandson", "granddaughter", "spouse", "fiancé", "fiancée", "fiance")
NOUNS = (*MEN, *WOMEN, *ANYONE)  # without "partner": it may be one in business
RELATIONS = {  # of the nouns that are no relation themselves
    "dad": "father",
    **dict.fromkeys(("mom", "mum"), "mother"),
    "grandpa": "grandfather",
    "grandma": "grandmother",
    **dict.fromkeys(("husband", "wife", "spouse"), "married_to"),
    **dict.fromkeys(("fiancé", "fiancée", "fiance"), "engaged_to"),
    **dict.fromkeys(("boyfriend", "girlfriend"), "dating"),
}

# A message with somebody else's words or an invention gives nothing: "Tom: I live in Rome"; "Translate: my sister ...".
OTHER_TEXT = re.compile(
    r"[\"“”«»`]|:\s|(?<!\w)'\w|(?m:^\s*>)|(?i:(?:^|[.!?\n])\W*(?:(?:please|can you|could you|help me) )*"
    r"(?:re)?(?:write|phrase|translate|proofread|edit|summari[sz]e|imagine|pretend|suppose|act|role-?play|let's)\b)"
    r"|(?i:\b(?:story|novel|poem|lyrics|screenplay|movies?|characters?|role-?play|dream\w*|kidding)\b"
    r"|\bin (?:the|this|that|an?|my) (?:\w+ )?(?:book|film|show|series|song|game|play|sims)\b)"
)

# Parts of the shapes, each with its example.
CAPITAL = r"[A-Z\u00c0-\u00de]"
WORD = rf"{CAPITAL}\w+(?:['-]{CAPITAL}\w+)?(?![\w-])"
PERSON = rf"{WORD}(?: {WORD})?"  # Emily; Anna Kowalska
PLACE = rf"(?:St\. )?{WORD}(?: (?:of |de |upon )?{WORD}){{0,2}}"  # Boston; Rio de Janeiro
EMPLOYER = rf"(?:St\. )?(?:{CAPITAL}|\d)[\w.-]*\w(?:'s)?(?: (?:& |of |for |of the )?{WORD}(?:'s)?){{0,4}}"
NOUN = rf"(?P<noun>(?i:{'|'.join(sorted(NOUNS, key=len, reverse=True))}))(?P<law>[- ]in[- ]law)?"
AGE = r"(?:older|younger|elder|little|big|baby|twin|eldest|oldest|youngest|\d{1,2}[- ]year[- ]old) "
KIN = rf"(?:[Mm]y|[Oo]ur|(?P<owner>{PERSON})'s) (?:{AGE})?{NOUN}"  # my older sister; Tom's brother-in-law
JOB = (  # a senior software engineer; the head chef
    r"(?:an?|the|their) (?:(?:senior|junior|lead|head|registered|software|data|product|project|graphic|research"
    r"|flight|sales|marketing|school|account|mechanical|civil|electrical|systems) )*"
    r"(?:nurse|teacher|engineer|developer|designer|manager|analyst|accountant|consultant|lawyer|doctor|surgeon|chef"
    r"|professor|researcher|scientist|director|editor|architect|pharmacist|librarian|electrician|mechanic|technician"
    r"|cook|bartender|barista|cashier|attendant|pilot|therapist|veterinarian|vet|lecturer|programmer|paralegal"
    r"|recruiter|officer|specialist|coordinator|assistant|administrator|supervisor|paramedic)"
)
YEARS = r"\d{1,2}(?: years old)?"
MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATE = (  # in March 2021; last summer; two years ago; on Monday
    rf"(?:(?i:in|back in) (?:(?:early |late )?{MONTH}(?: \d{{4}})?|\d{{4}})|(?i:last) \w+|on \w+day|yesterday"
    r"|(?:\w+ ){1,2}(?:days|weeks|months?|years?) ago)"
)
SINCE = r" since(?: (?!and\b)[\w']+){1,5}"
SO_LONG = r"(?: for (?:[a-z0-9]+ ){1,3}(?:months|years|decades)| my whole life)"  # for about two years
FAMILY = rf"(?:family|parents|kids|children|{'|'.join(NOUNS)})"
COMPANY = (  # with my wife Anna and our two kids
    rf" with (?:my|our|his|her) (?:{AGE})?{FAMILY}(?: {WORD})?(?: and (?:(?:my|our|his|her|two|three) ){{1,2}}[a-z]+)?"
)
ADVERB = r"(?: (?:just|now|currently|recently|finally|still|both|happily))?"
BE = rf"(?:'?m| am|'re| are|'s| is){ADVERB}"
HAVE = rf"(?:'ve| have|'s| has){ADVERB}"
TASK = rf"(?: as {JOB}| in [a-z]+| in the [a-z]+ department)?"  # works in sales at
GREETING = r"(?:(?i:hi|hello|hey|yes|yeah|yep|no|nope|oh|ok|okay|well|so|and|but|btw|actually|fyi|now)[,!]? )*"

# A clause: subject, predicate, tail, and an end or another clause.
SUBJECT = re.compile(  # "Well, we"; "Hi, I'm Caroline, I'm 29 and I"; "Last May Tom and I"; "My friend Lena"
    rf" ?{GREETING}(?:(?:I'm|I am|[Mm]y name is) (?:{PERSON}|{JOB}|{YEARS})(?:,|,? and) ){{0,2}}"
    rf"(?:I'm originally from {PLACE},? but )?"
    rf"(?P<date>{DATE},? )?(?:(?P<first>[Ii]|[Ww]e|(?:[Mm]y {FAMILY}|{PERSON}) and I)"
    rf"|(?:[Mm]y (?:{AGE}|best |good |old )?(?:friend|roommate|coworker|colleague|neighbou?r|{FAMILY}) )?"
    rf"(?P<name>{PERSON}))(?=['\s]|m )"
)


def _compile_predicate(*, state: str, perfect: str, change: str, name: str) -> re.Pattern[str]:
    """A change led to the present ("moved to"), and its date is the beginning."""
    verb = rf"(?:(?P<state>{state})|(?P<perfect>{perfect})|(?P<change>{change}))"
    return re.compile(rf"{verb} (?P<article>the )?(?P<object>{name})")


def _compile_bond(bond: str, *, change: str) -> re.Pattern[str]:
    return _compile_predicate(
        state=f"{BE} {bond}", perfect=f"{HAVE} been {bond}", change=f"{ADVERB} {change}", name=PERSON
    )


PREDICATES = {
    "lives_in": _compile_predicate(
        state=rf"(?:{ADVERB} (?:live|reside)s?|{BE} (?:living|based)) in",
        perfect=rf"{HAVE} (?:been living|been based|lived) in",
        change=rf"(?:{HAVE}|{ADVERB}) (?:moved|relocated)(?: back| over)?(?: from {PLACE})? to",
        name=PLACE,
    ),
    "works_at": _compile_predicate(
        state=rf"(?:{ADVERB} works?{TASK}|{BE} working{TASK}|{BE} employed|{BE} {JOB}|{ADVERB} teach(?:es)? [a-z]+)"
        r" (?:at|for|by)",
        perfect=rf"{HAVE} (?:been working{TASK}|been {JOB}|worked{TASK}) (?:at|for)",
        change=rf"{ADVERB} (?:started (?:working |(?:a|my) new job )?(?:at|for|with)|joined(?=.* as {JOB}))",
        name=EMPLOYER,
    ),
    "married_to": _compile_bond("married to", change="(?:married|got married to)"),
    "engaged_to": _compile_bond("engaged to", change="got engaged to"),
    "dating": _compile_bond("dating", change="started dating"),
}
DETAILS = rf"(?:(?: (?:now|these days|again|too|btw|by the way|full[- ]time)\b| as {JOB}|{COMPANY}){{0,2}})"
TAILS = {  # only the perfect takes a duration: "I'm living in Rome for six months" is a stay
    "state": re.compile(rf"(?:, {PLACE})?{DETAILS}(?:{SINCE})?"),
    "perfect": re.compile(rf"(?:, {PLACE})?{DETAILS}(?:{SINCE}|{SO_LONG}){DETAILS}"),
    "change": re.compile(rf"(?:, {PLACE})?{DETAILS}(?: {DATE})?{DETAILS}"),
}
JOINT = re.compile(r",? and(?= )")
END = re.compile(r"[^\w?]*$")
# The sentence goes on: ", so we need a car"; " and the rent is high"; ", what can I do?"; " and keep losing my keys"
REST = re.compile(
    r"(?:,? (?:and|so) (?!I'm told|I hear)(?:I|i|we|my|our|his|her|works?|lives?|please|yes|no|the [a-z]+ (?:is|are))\b"
    r"|,(?: and| so)? (?:it|we|s?he|they)(?:'| is | are | has | have )|,? and (?:it|s?he|they)\b"
    r"|,? (?:which|because)\b|, (?:what|how|can|could|any|please)\b|,? and (?P<verb>[a-z]+))"
)
# A rest with such words makes the clause doubtful: "and I go back on weekends"
PASSING = re.compile(r"\b(?:until|till|temporar\w+|for now|weekends?|part[- ]time|used to|anymore|back)\b")

# Kinship.
START = rf"^{GREETING}(?:This is |That's )?"
STOP = r"(?=[^\w?]*$|,? and |, (?:s?he|who|so)\b)"
KIN_PHRASES = re.compile(  # "My sister Emily is here."; "My sister, Emily, is here."; "I live with my sister Emily."
    rf"(?:(?P<is_first>{START})|\b(?:with|and|to|from|for|by|of|about) )"
    rf"{KIN}(?P<comma>,(?= [^,]*,))? (?P<name>{PERSON})(?(comma),)"
)
KIN_STATEMENTS = (
    re.compile(rf"{START}{KIN}(?:'s name is| is called| is named) (?P<name>{PERSON}){STOP}"),
    re.compile(rf"{START}(?P<name>{PERSON})(?: is|'s) {KIN}{STOP}"),  # Emily is my sister.
    re.compile(  # I have a sister named Emily.
        rf"{START}(?:I|[Ww]e|(?P<owner>{PERSON}))(?:'ve got| have| has)(?: an?| one) (?:{AGE})?{NOUN},? "
        rf"(?:named|called) (?P<name>{PERSON}){STOP}"
    ),
)
ENDED = re.compile(r"(?i)\b(?:ex|dead|gone|died|passed|divorc\w+|separated|widow\w*|split|broken?|breaking)\b")

APOSTROPHES = str.maketrans("\u2018\u2019", "''")
PLACES = frozenset({"GPE", "LOC"})
FINITE_VERBS = frozenset({"VBZ", "VBP", "VBD", "MD"})
AFTER_SUBJECT = FINITE_VERBS | {"", ".", ",", "CC", "POS", "RB"}
AFTER_OBJECT = frozenset({"", ".", ",", "CC", "IN", "TO", "RB", ":"})


def list_people(relationships: Iterable[FoundRelationship]) -> list[str]:
    """The people that the relationships name. The recogniser misses many names at the beginning of a sentence."""
    objects = [one.object for one in relationships if one.relation not in {"lives_in", "works_at"}]
    return [*(one.subject for one in relationships), *objects]


def find_relationships(
    parsed: ParsedText, *, speaker: str, since: datetime | None = None
) -> tuple[FoundRelationship, ...]:
    """`speaker` is the name that "I" stands for, empty if nobody speaks. `since` is the date in the text, if any."""
    text = parsed.text.translate(APOSTROPHES)
    if OTHER_TEXT.search(text):
        return ()
    labels = {name.start: name.label for name in parsed.names}
    tags = {word.start: word.tag for word in parsed.words}
    found: dict[FoundRelationship, None] = {}
    for span in split_sentences(text):
        sentence = span.read(text).strip()
        if len(sentence) <= MAX_SENTENCE:
            reader = _Sentence(sentence, text.index(sentence, span.start), labels, tags, speaker, since)
            found |= dict.fromkeys((*reader.read_clause(), *reader.find_kin()))
    return tuple(found)


@dataclass(frozen=True)
class _Sentence:
    """One sentence. Labels and tags are those of the message, by character, and the sentence begins at `start`."""

    text: str
    start: int
    labels: dict[int, str]
    tags: dict[int, str]
    speaker: str
    since: datetime | None

    def read_clause(self, at: int = 0, subject: str = "") -> Iterator[FoundRelationship]:
        """A clause at `at`. It may have its own subject, and another clause may follow: "and work at Stripe"."""
        opening = SUBJECT.match(self.text, at)
        if opening:
            at, subject = opening.end(), self.speaker if opening["first"] else _check_person(opening["name"])
        for relation, pattern in PREDICATES.items() if subject else ():
            match = pattern.match(self.text, at)
            if not match or not self._fits(relation, match) or match["object"] == subject:
                continue
            tense = next(tense for tense in TAILS if match[tense])
            tail = TAILS[tense].match(self.text, match.end())
            if tail and self._is_end(tail.end(), is_change=tense == "change"):
                is_dated = (opening and opening["date"]) or self._has_date(match, tail.end())
                text = f"{subject} {VERBS[relation]} {match['article'] or ''}{match['object']}."
                since = self.since if is_dated else None
                yield FoundRelationship(subject, relation, match["object"], text, valid_from=since)
                if joint := JOINT.match(self.text, tail.end()):
                    yield from self.read_clause(joint.end(), subject)

    def _fits(self, relation: str, match: re.Match[str]) -> bool:
        """The object is a place, an organisation or a person, as the relation needs."""
        label = self._label(match.start("object"))
        if relation == "lives_in":
            return label in PLACES
        if relation != "works_at":
            return bool(_check_person(match["object"]))
        words = [fold(word) for word in match["object"].split(" ")]
        is_person = is_known(words[0]) or is_any_name(words[-1])  # "I work for Karen"; "I work for Dr Patel"
        return label == "ORG" or not (is_person or label in TIMES or label in ("CARDINAL", "EVENT"))

    def _has_date(self, match: re.Match[str], end: int) -> bool:
        """The tail dates the beginning: "since March", or a change "in March"."""
        first = match.end() if match["change"] else self.text.find(" since ", match.end(), end)
        return first >= 0 and any(self._label(at) in TIMES for at in range(first, end))

    def _is_end(self, at: int, *, is_change: bool) -> bool:
        """The sentence ends, or goes on in the present with something else than the place, the job or the partner."""
        rest = REST.match(self.text, at)
        if not rest or PASSING.search(self.text, at) or (is_change and self._has_tag("VBD", at)):
            return END.match(self.text, at) is not None
        return not rest["verb"] or self._tag(rest.start("verb")).startswith("VB")

    def find_kin(self) -> Iterator[FoundRelationship]:
        for match in KIN_PHRASES.finditer(self.text):
            tag = self._tag(match.end())
            if match["is_first"] is None:
                is_kin = tag in AFTER_OBJECT and not match["comma"] and " " not in match["name"]
            else:
                is_kin = tag in (FINITE_VERBS if match["comma"] else AFTER_SUBJECT)
            is_present = tag == "VBZ" or not (self._has_tag("VBD") or self._has_tag("MD"))
            if is_kin:
                yield from self._relate_kin(match, is_present=is_present)
        for pattern in KIN_STATEMENTS:
            if statement := pattern.match(self.text):
                yield from self._relate_kin(statement, is_present=True)

    def _relate_kin(self, match: re.Match[str], *, is_present: bool) -> Iterator[FoundRelationship]:
        """A partner counts in the present tense only: "My husband Greg loved it" may be about the past."""
        noun = match["noun"].lower()
        relation = RELATIONS.get(noun, noun) + ("_in_law" if match["law"] else "")
        if relation in VERBS and (not is_present or ENDED.search(self.text)):
            return
        owner = _check_person(match["owner"]) if match["owner"] else self.speaker
        person = _check_person(match["name"])
        gender = Gender.MALE if noun in MEN else Gender.FEMALE
        is_fitting = noun in ANYONE or gender in genders_of(fold(person.partition(" ")[0]))
        if owner and person and owner != person and is_fitting:
            text = f"{person} is {owner}'s {relation.replace('_', '-')}."
            if relation in VERBS:
                text = f"{owner} {VERBS[relation]} {person}."
            yield FoundRelationship(owner, relation, person, text)

    def _has_tag(self, tag: str, first: int = 0) -> bool:
        return any(self.tags.get(self.start + at) == tag for at in range(first, len(self.text)))

    def _label(self, at: int) -> str:
        return self.labels.get(self.start + at) or self.labels.get(self.start + at - len("the "), "")

    def _tag(self, at: int) -> str:
        """The tag of the word at `at`, or of the next one if a space stands there."""
        return self.tags.get(self.start + at + self.text.startswith(" ", at), "")


def _check_person(name: str) -> str:
    """The name, or nothing if its first word is no known first name."""
    first = fold(name.partition(" ")[0])
    return name if is_known(first) and first != "jesus" else ""
