"""Time words inside names of people, songs, films, firms and streets.

Capitals show a name, so the original text is read. In doubt, a word is a time.
"""

import re
from collections.abc import Iterator

from timewords.expressions.recurring import HOLIDAY_NAMES
from timewords.folding import Folded, listed
from timewords.languages.vocabulary import any_of, load_vocabulary

Span = tuple[int, int]

_CAPITAL = r"[A-Z\u00c0-\u00d6\u00d8-\u00de][\w'\u2019]*"
_WEEKDAY = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_FEAST = any_of(HOLIDAY_NAMES)
_TIME_WORDS = frozenset(
    listed(
        "I Morning Afternoon Evening Night Eve Day Week Weekend Monday Tuesday Wednesday Thursday Friday Saturday "
        "Sunday January February March April May June July August September October November December"
    )
)
_THINGS = frozenset(
    listed(
        "Lights Agreement Accord Club Corporation Corp Inc Ltd Company Group Foundation Fund Times Post Herald Journal "
        "Band Movie Film Records Studios Press Island Rising League Football Live Project Bar School Church"
    )
)  # after a day they make a name
_OF_TIME = frozenset(
    listed("on last next this since until till by before after every each past coming from at over for around during")
)
_SMALL = frozenset(listed("a an the of in on at to for from by with and or but nor as"))  # small in a headline too
_GO_ON = frozenset(
    listed(
        "at in on with and or but when because so then as morning afternoon evening night for before after to from "
        "during the my our your his her their i we he she they you it this that about around"
    )
)  # after a "Yesterday" that is a time
_WORD = re.compile(r"[^\W\d_][\w'\u2019]*")
_LAST_WORD = re.compile(r"([\w'\u2019]+)\W*$")
_SENTENCE_EDGE = re.compile(r"[.!?\n]\s")
_AROUND = 120  # characters to either side that are looked at
_OPENING = re.compile('(?:^|[.!?:;\\n"\u201c\u201e\u00ab(\u00bf\u00a1*\u2022-])\\s*$')

_TITLED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Herrn?|Fr\u00e4ulein|Se\u00f1ora?|Sra?|Signora?|Sig|Mme|Madame|Monsieur|Senhora?|Meneer"
    rf"|Mevrouw)|(?<!eine )\bFrau)\.? ({_CAPITAL})"
)  # not "meine Frau", a wife
_QUOTED = re.compile(
    "(?:[\"\u201c\u201d\u201e\u00ab]|(?<!\\w)['\u2018])([^\\W\\d_]+)(?:[\"\u201d\u201c\u00bb]|['\u2019](?!\\w))"
)
_KNOWN = re.compile(
    r"\b(?:(?:Ruby|Super) Tuesday|(?:Man|Girl|Joe|Freaky) Friday|(?:Manic|Blue|Stormy) Monday|(?:Billy|Bloody) Sunday"
    rf"|Wednesday Addams|Tuesday Weld)\b|\b(?:Who|who|What|what)(?: is| was|'s) (?:the )?{_CAPITAL} (?:{_WEEKDAY})\b"
)
_JOINED = re.compile(rf"\b(?:{_WEEKDAY}|(?i:{_FEAST}))((?: {_CAPITAL})+)")
_DAY_WORD = re.compile(r"\b(?:Today|Tonight|Yesterday|Tomorrow)\b(?!['\u2019])")
_LIKED = frozenset(
    listed("like liked love loved see seen saw watch watched hear heard play played sing sang song film movie called")
)
_SUNDAY = "Domingo|Domenica"
_NO_DAY_BEFORE = "".join(f"(?<![{word[0].upper()}{word[0]}]{word[1:]} )" for word in listed("el la no ao este questa"))
_FIRST_NAME = re.compile(
    r"(?:(?i:qui[e\u00e9]n|chi|quem|who) (?:es|era|[e\u00e8\u00e9]|is|was)|\b(?:con|com|with|named|called)"
    rf"|\b(?:San|Santo|Pl[a\u00e1]cido)) (?:{_SUNDAY})\b|(?<=\w ){_NO_DAY_BEFORE}(?:{_SUNDAY}) {_CAPITAL}"
    rf"|^\W*(?:{_SUNDAY}) {_CAPITAL}\W*$"
)

_WORK = "film|movie|song|book|novel|album|band|show|series|musical"
_LED_WORK = re.compile(
    r"\b(?:seen|saw|see|watch|watched|watching|read|reading|listen to|listened to|listening to|heard|hear"
    rf"|the (?:{_WORK})|(?:{_WORK}) (?:called|named|titled)) ({_FEAST})\b"
    r"(?! (?:morning|afternoon|evening|night|day|eve|week|weekend)\b)"
)
_FOLLOWED_WORK = re.compile(rf"\b({_FEAST})(?:,? \(?the (?:{_WORK})\b| (?:{_WORK}|soundtrack)s?\b)")
_MONTHS = any_of({month for code in ("fr", "de", "it", "pt", "es") for month in load_vocabulary(code).months})
_STREET = re.compile(
    r"\b(?:rua|calle|via|viale|corso|piazza|piazzale|plaza|praca|avenida|rue|avenue|boulevard|place|stra(?:ss|\u00df)e"
    rf"|platz) (?:(?:de|del|do|da|du|des|dei|della|la|le|el) ){{0,2}}(\d{{1,2}}\.?(?: de| di)? (?:{_MONTHS}))\b"
)


def find_names(text: str, folded: Folded) -> list[Span]:
    """The places of names in the original text."""
    names = [match.span(1) for match in _TITLED.finditer(text)]
    names += [match.span() for pattern in (_KNOWN, _FIRST_NAME) for match in pattern.finditer(text)]
    if len(_WORD.findall(text, 0, _AROUND)) > 1:  # a query may be nothing but a quoted time
        names += [match.span(1) for match in _QUOTED.finditer(text)]
    names += [match.span() for match in _JOINED.finditer(text) if _is_thing(text, match)]
    names += [match.span() for match in _DAY_WORD.finditer(text) if _is_title(text, match)]
    names += [folded.span(*match.span(1)) for match in _works_and_streets(folded.text)]
    return names


def _works_and_streets(folded: str) -> Iterator[re.Match[str]]:
    yield from _STREET.finditer(folded)
    yield from _LED_WORK.finditer(folded)
    for match in _FOLLOWED_WORK.finditer(folded):
        if _word_before(folded, match.start()) not in _OF_TIME:
            yield match


def _is_thing(text: str, match: re.Match[str]) -> bool:
    """Whether capitals after a day make a name: "Friday Night Lights", but not "on Friday Anna Smith came"."""
    behind = [word for word in match[1].split() if word not in _TIME_WORDS]
    if _is_headline(text, match):
        return False
    if not _THINGS.isdisjoint(behind):
        return True
    is_led = _word_before(text, match.start()) in _OF_TIME
    return len(behind) > 1 and not is_led and not _opens_sentence(text, match.start())


def _is_title(text: str, match: re.Match[str]) -> bool:
    """Whether a capital inside a sentence makes a title: "did I like Yesterday by the Beatles"."""
    if _opens_sentence(text, match.start()) or _is_headline(text, match):
        return False
    behind = _WORD.match(text, match.end() + 1) if text.startswith(" ", match.end()) else None
    if behind is None:
        return _word_before(text, match.start()) in _LIKED
    return behind[0].lower() not in _GO_ON


def _opens_sentence(text: str, start: int) -> bool:
    return _OPENING.search(text[max(0, start - 4) : start]) is not None


def _is_headline(text: str, match: re.Match[str]) -> bool:
    """Whether all words have capitals, so that these show nothing."""
    before = _SENTENCE_EDGE.split(text[max(0, match.start() - _AROUND) : match.start()])[-1]
    after = _SENTENCE_EDGE.split(text[match.end() : match.end() + _AROUND])[0]
    words = _WORD.findall(f"{before} {after}")
    return not any(word[0].islower() and word not in _SMALL for word in words)


def _word_before(text: str, start: int) -> str:
    found = _LAST_WORD.search(text[max(0, start - 30) : start])
    return found[1].lower() if found else ""
