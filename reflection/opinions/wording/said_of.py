"""Whether a fact says of the one whom an opinion names what it judges. In doubt it does not.

That one is the subject of the judgement ("Dana is a terrible mechanic", "the ferry failed"), or is what others feel
something for ("all trust Dana as a mechanic"): of "Dana hired a terrible mechanic" nothing is said of Dana.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from banks.english.content_words import STEM
from banks.english.detection import FUNCTION_WORDS
from banks.english.word_set import word_set
from reflection.opinions.wording.matter import STRESSING, list_words
from reflection.opinions.wording.polarity import BAD, DENIALS, FEELS, GOOD

WORD = r"[\w'-]+"
IS = r"(?:is|are|was|were|(?:has|have|had) been|remains?|remained|stayed|became|becomes?|isn't|aren't|wasn't|weren't)"
LIGHT = r"(?:not|never|no longer|very|really|so|quite|again|also|always|still|\w+ly)"
HELPING = rf"(?:{LIGHT}|has|have|had|do|does|did|hasn't|haven't|hadn't|don't|doesn't|didn't|often|once|twice|already)"
MOST_LIGHT = 4  # in a row: what is longer is no prose
ARTICLE = r"(?:an?|the|one|some|such an?|no|any)"
# Not here: win, lose, decline and improve something, which says as little of the one who does as "lost her keys".
DOES = (
    r"(?:fail(?:s|ed)?|crash(?:es|ed)?|excel(?:s|led)?|succeed(?:s|ed)?|worsen(?:s|ed)?|flourish(?:es)?|improve[sd]?)"
)
PRIZE = rf"(?:wins?|won) (?:{WORD} ){{0,3}}(?:prize|award|medal)s?\b"
TIMES = "today yesterday now again twice once often badly last this every each all and but so when because while"
PLACES = "in on at into after before during since under with for as by from over within whenever through throughout"
MANY = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|[1-9]\d*|several|many|countless|numerous|multiple"
    r"|(?:a couple|a dozen|dozens|hundreds|thousands) of|a dozen)"
)
SPAN = r"(?:minute|hour|day|night|morning|evening|weekend|week|month|year)s?"
# How often and when: "three times", not "three tests", which is what was failed; nor "three times out of ten".
OFTEN = (
    rf"(?:(?:about|around) )?{MANY} times(?! out\b)|thrice|time (?:and again|after time)|a (?:second|third|fourth) time"
    rf"|(?:an?|one|{MANY}) {SPAN} (?:ago|later|earlier|running|in a row)|tonight|overnight|already"
)
NO_OBJECT = rf"(?=\W*$|[,.;:!?]| (?:{'|'.join(f'{TIMES} {PLACES}'.split())}|\w+ly|{OFTEN})\b)"
# Who fails to find a fault has none, as far as anybody knows.
UNWANTED = r"(?:find|detect|discover|identify|spot|reveal|notice|show|cause|disappoint|crash|break|lose|stop)\b"
VERB = re.compile(
    rf" (?:{HELPING} ){{0,{MOST_LIGHT}}}(?:(?:{DOES}){NO_OBJECT}(?!(?: {WORD}){{1,4}} to {UNWANTED})"
    rf"|fail(?:s|ed)? to\b(?! {UNWANTED})|{PRIZE})"
    r"(?: as (?P<role>[^,.;:!?]+))?",
    re.IGNORECASE,
)
# What one is like, whatever one achieves.
OF_CHARACTER = word_set(
    "honest trustworthy friendly kind generous supportive fair pleasant beautiful beloved dishonest untrustworthy",
    "unfriendly rude hostile unfair unpleasant ugly",
)
FELT = "|".join(sorted(word for word in FEELS if not word.startswith(("neglect", "complain"))))
FEELING = re.compile(
    rf"\b(?:{FELT}|complain(?:s|ed)? (?:about|of)) (?P<felt_for>{WORD}(?: {WORD}){{0,5}})", re.IGNORECASE
)
OPENS = re.compile(
    r"^(?:(?:in|on|at|during|since) \w+(?: \d+)?|(?:last|this) (?:week|month|year|spring|summer|autumn|winter)"
    r"|yesterday|today|overall),? ",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"[.,;:!?]+(?:\s+|$)|\s+(?:and|but|because|since|so|while)\s+(?=\S+ )")
DETERMINERS = word_set("the a an this that these those our your my both all")
FRAME = re.compile(r"^I (?:[\w']+ ){0,2}(?:think|believe|feel|reckon|doubt)(?: that)? ", re.IGNORECASE)
LATER = "tonight then lately recently nowadays overall most"
ENDS_RUN = FUNCTION_WORDS | DENIALS | word_set(TIMES, PLACES, LATER)
LONGEST_SUBJECT = 100  # characters


@dataclass(frozen=True)
class Topic:
    """Of an opinion: who is named in its subject, what of that is judged, and all of its words."""

    names: tuple[str, ...]
    matter: frozenset[str]
    text: str

    @property
    def words(self) -> frozenset[str]:
        return frozenset(cut(list_tokens(self.text)))


def list_tokens(text: str) -> list[str]:
    """With the 's of an owner: "Dana's mechanic" is not Dana."""
    return [word.casefold() for word in re.findall(WORD, text.replace("\u2019", "'"))]


def cut(words: Collection[str]) -> set[str]:
    return {word if "'" in word else word.removesuffix("s")[:STEM] for word in words}


def find_subject_names(opinion: str, names: Sequence[str]) -> tuple[str, ...]:
    """Of the names those before the verb: of "Java is good for Dana" it is Java. All where there is no such verb."""
    own = FRAME.sub("", opinion.replace("\u2019", "'"))
    found = re.search(rf" {IS}\b", own, re.IGNORECASE)
    before = {word.removesuffix("'s") for word in list_tokens(own[: found.start()])} if found else set[str]()
    return tuple(name for name in names if name in before) or tuple(names)


def is_said_of(topic: Topic, text: str, *, held: Collection[str], share: float) -> bool:
    """`held` are the words that judge in the opinion, `share` is how much of the matter the fact must tell again."""
    own = text.replace("\u2019", "'")
    return any(
        is_told_again(topic, said, share) or (said.is_plain and said.judging in held)
        for said in find_said(topic, own, held=held)
    )


@dataclass(frozen=True)
class Said:
    """One judgement of the fact: its word, and what it tells of what is judged.

    `is_plain` where it names nothing besides the one: "Dana is reliable", not "Dana is a reliable friend".
    """

    judging: str
    told: str
    is_plain: bool


def is_told_again(topic: Topic, said: Said, share: float) -> bool:
    told = cut(list_words(said.told))
    return len(topic.matter & told) >= share * len(topic.matter) if topic.matter else said.is_plain


def find_said(topic: Topic, text: str, *, held: Collection[str]) -> Iterator[Said]:
    for clause in CLAUSE.split(text):
        own = OPENS.sub("", clause.strip())
        yield from find_predicates(topic, own)
        if not OF_CHARACTER & set(held):
            yield from find_deeds(topic, own)
    if topic.matter:
        yield from find_feelings(topic, text)


def find_predicates(topic: Topic, clause: str) -> Iterator[Said]:
    """As in "Dana is a terrible mechanic", "is terrible as a mechanic"; not "is married to a terrible mechanic"."""
    for verb in re.finditer(rf" {IS} (?:{LIGHT} ){{0,{MOST_LIGHT}}}", clause, re.IGNORECASE):
        subject = clause[: verb.start()]
        words = list_tokens(clause[verb.end() :]) if is_subject(topic, subject) else []
        place = find_judging(words)
        if place is None:
            continue
        run = list_run(words[place + 1 :])
        is_plain = not [word for word in run if word not in STRESSING]
        if is_plain or cut(run[-1:]) & topic.matter or run[-1] in GOOD | BAD:
            rest = words[place + 1 + len(run) :]
            yield Said(words[place], " ".join([subject, *run, *list_complement(topic, rest)]), is_plain)


def find_judging(words: Sequence[str]) -> int | None:
    """The place of the word that judges: the first, or after an article within two words of it."""
    is_article = bool(words) and re.fullmatch(ARTICLE, words[0]) is not None
    for place, word in enumerate(words[: 4 if is_article else 1]):
        if word in GOOD or word in BAD:
            return place if word != "lost" else None
        if place and word in ENDS_RUN - STRESSING:
            return None
    return None


def list_run(words: Sequence[str]) -> list[str]:
    """The words up to the end of the noun that is judged: "old diesel mechanic" of "... of the town"."""
    run = list[str]()
    for word in words:
        if is_end(word):
            break
        run.append(word)
    return run


def list_complement(topic: Topic, words: Sequence[str]) -> Sequence[str]:
    """Such as "as a mechanic", and "at repairing engines" where the opinion says "at" too. Not "to a mechanic"."""
    is_of_it = bool(words) and (words[0] == "as" or words[0] in list_tokens(topic.text))
    return words if is_of_it else ()


def find_deeds(topic: Topic, clause: str) -> Iterator[Said]:
    """As in "The ferry failed", "Dana excels as a mechanic"; not "Dana failed her test"."""
    for verb in VERB.finditer(clause):
        subject = clause[: verb.start()]
        if is_subject(topic, subject):
            yield Said("", f"{subject} {verb['role'] or ''}", is_plain=True)


def find_feelings(topic: Topic, text: str) -> Iterator[Said]:
    """As in "All trust Dana as a mechanic"; not "all trust Dana's mechanic"."""
    for feeling in FEELING.finditer(text):
        words = list_tokens(feeling["felt_for"])
        end = next((place for place, word in enumerate(words) if place and is_end(word)), len(words))
        if is_subject(topic, " ".join(words[:end])):
            role = words[end:] if words[end : end + 1] == ["as"] else []
            yield Said("", " ".join([*words[:end], *role]), is_plain=False)


def is_end(word: str) -> bool:
    return word in ENDS_RUN or word.endswith("ly")


def is_subject(topic: Topic, phrase: str) -> bool:
    """The one who is named, in no other words than the opinion's: its captain is not the ferry."""
    tokens = list_tokens(phrase) if len(phrase) <= LONGEST_SUBJECT else []
    if cut(set(tokens) - DETERMINERS) - topic.words:
        return False
    named = {word.removesuffix("'s") for word in tokens}
    return bool(named & set(topic.names)) if topic.names else bool(cut(tokens) & topic.matter)
