"""The tense of an English clause, and words that show habits, yearly dates and plans."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from timewords.folding import listed

Tense = Literal["past", "present", "future"]


@dataclass(frozen=True, slots=True)
class Verbs:
    """The wording that a language uses around times. All patterns are applied to folded text.

    - `read_tense`: the tense of a clause; None without a known verb, past where it has a past and a future verb.
    - `habit`: found in a clause about habits ("we always ski in February").
    - `each_before`, `each_after`: around a recurring day ("every Friday at 5", "on Friday evenings"), or around a day
      that is given twice ("today is Friday").
    - `yearly_before`, `yearly_after`: around a date of any year ("my birthday is on May 20", "Christmas is a feast").
    - `looks_back`: before a time that is over although the verb is present ("I have photos from August").
    - `is_from`: before a time that a thing is from, which is the nearest one.
    - `looks_ahead`: the words before and after a time of the future although the verb is past ("was moved to May 20").
    - `counts_ahead`: the words before and after "in two weeks" in a past clause, where that is no duration ("I was told
      it starts in two weeks").
    """

    read_tense: Callable[[str], Tense | None]
    habit: re.Pattern[str]
    each_before: re.Pattern[str]
    each_after: re.Pattern[str]
    yearly_before: re.Pattern[str]
    yearly_after: re.Pattern[str]
    looks_back: re.Pattern[str]
    is_from: re.Pattern[str]
    looks_ahead: Callable[[str, str], bool]
    counts_ahead: Callable[[str, str], bool]


_FUTURE = re.compile(
    r"\b(?:will|won't|shall|gonna|upcoming|tomorrow|let's|lets)\b|'ll\b"
    r"|(?:\b(?:am|is|are)|'m|'s|'re) (?:going|planning|about|scheduled|due|supposed) (?:to|for)\b"
    r"|(?:\b(?:is|are)|'s|'re) (?:planned|scheduled|booked|due|expected)\b"
    r"|(?:\bwould|'d) (?:\w+ )?(?:like|love|prefer)\b"
    r"|\b(?:plan|plans|planning|hope|hoping|want|wants|intend|need|schedule|remind|book|looking forward)\b"
    r"|^\W*(?:please )?(?:meet|call|join|visit|bring|send|give|wake|text|ring) (?:me|us|him|her|them)\b|^\W*see you\b"
)
_PAST_FORMS = (
    "was|wasn't|were|weren't|did|didn't|had|hadn't|ago|yesterday|been|used to|went|gone|came|saw|seen|met|got|gotten"
    "|made|took|taken|gave|given|said|told|found|felt|left|lost|won|bought|brought|thought|taught|caught|fought|sent|spent"
    "|built|slept|kept|held|stood|understood|ran|began|begun|drank|drunk|sang|sung|swam|rang|wrote|written|rode|ridden"
    "|drove|driven|broke|broken|spoke|spoken|woke|chose|chosen|flew|flown|grew|grown|knew|known|threw|thrown|drew|drawn"
    "|ate|eaten|fell|fallen|became|paid|sold|heard|led|fled|meant|dealt|stuck|wore|worn|stole|stolen|forgot|forgotten|hid"
    "|hidden|done|born|sat|hung|shook|froze|wept|lent|sank|sought|struck|swept|tore|blew|shone|crept|dug|swore"
)
_NO_PARTICIPLE = r"(?:(?:in)?deed|n?eed|speed|seed|feed|weed|hundred|naked|shed|fred|alfred|jared|ahmed|mohammed)\b"
_ENDS_IN_ED = rf"\b(?!{_NO_PARTICIPLE})\w{{2,}}ed\b"
# Verbs with one form for all tenses. Without an auxiliary they are likelier past.
_UNCHANGED = (
    r"(?<!\bdo )(?<!\bcan )(?<!should )(?<!could )(?<!must )\b(?:i|we|you|they|he|she|who) (?:just |also )?"
    r"(?:quit|cut|put|hit|let|read|beat|set|shut|hurt|spread)\b"
)
_PAST = re.compile(rf"\b(?:{_PAST_FORMS})\b|{_ENDS_IN_ED}|{_UNCHANGED}")
_IS = r"(?:(?<=\bi )am\b|\bam(?= i\b)|\b(?:is|are|isn't|aren't|be|being)\b|'m\b|'re\b)"  # "9 am" is no verb
# A participle after "is" or "get" is no past: "the shop is closed", "are the neighbours invited", "get paid".
_ASKS_WHETHER = r"^\W*(?:(?:where|when|why|how) )?(?:am|is|are)(?: (?!who|that|which|what|when)[\w']+){1,2}"
_PASSIVE = re.compile(
    rf"(?:{_IS}(?: not| still| already| so| very| too| \w+ly)?|\b(?:get|gets|getting)|{_ASKS_WHETHER})"
    rf" (?:{_ENDS_IN_ED}|(?:{_PAST_FORMS})\b)"
)
_HAVE_GOT = re.compile(r"(?:\b(?:have|has)|'ve|'s)(?: \w+)? got\b")
# Phrases without a tense of their own: "do you remember", "here is a picture".
_ASIDE = re.compile(
    r"\b(?:do|does|can|could) \w+ (?:still |please )?(?:remember|recall)\b"
    r"|\b(?:do|can|could) you (?:still |please )?(?:know|tell|show|find|list|give|check|look)\b"
    r"|\b(?:this|these|those|here|that)(?: is| are|'s|'re)\b(?! (?:on|in|at|for|coming|this)\b)"
)
_TIMETABLE = (
    "arrives|comes|leaves|starts|begins|ends|opens|closes|departs|expires|returns|meets|takes|gets|goes|finishes|lasts"
    "|performs|sings|marries|retires|flies|graduates|travels|competes|becomes|teaches|celebrates|attends|applies"
)
# These may be nouns: "my band plays", but "the plays" and "two shows".
_TIMETABLE_OR_NOUN = "plays|shows|runs|works|moves|visits|turns|races|stays|rises|changes|airs|hosts|launches|releases"
_NO_SUBJECT = "".join(
    rf"(?<!\b{word} )"
    for word in listed(
        "the a an my our your his her their its these those this that of in on for at by with and or to from all both "
        "some many more new old no two three four five last first am pm"
    )
)
_VERBS = (
    "arrive|come|leave|start|begin|end|open|close|depart|return|meet|fly|go|move|finish|visit|drive|travel|take|get|see"
    "|play|work|stay|host|attend|marry|celebrate|perform|pick|sing|retire|graduate|compete|teach|launch|become"
)
_MANY = r"(?:my|our|your|his|her|their|the) (?:\w+ )?(?:\w+[^\W\ds]s|children|people|family)"
_PRESENT = re.compile(
    rf"{_IS}|\b(?:do|does|don't|doesn't|have|has|haven't|hasn't|can|can't|cannot|could|should|must)\b|'ve\b"
    r"|\b(?:who|what|where|when|how|it|he|she|there)'s\b"
    rf"|\b(?:{_TIMETABLE})\b|(?<=\w ){_NO_SUBJECT}\b(?:{_TIMETABLE_OR_NOUN})\b"
    rf"|\b(?:i|we|you|they|which \w+|and \w+|{_MANY}) (?:also |all |both )?(?:{_VERBS})\b"
    r"|\b(?:visits|calls|picks|drives|joins) (?:me|us|him|her|them|you)\b"
)
_HABIT = re.compile(
    r"\b(?:always|usually|normally|often|typically|generally|never|rarely|sometimes|favou?rite)\b"
    r"|\b(?:every|each) (?:year|month|week|day|time|summer|winter|spring|autumn|fall)\b"
    r"|\b(?:i|we|you|they|(?:do|does) \w+) (?:really |also )?(?:love|like|enjoy|hate|prefer)\b"
    r"|\b(?:loves|likes|enjoys|hates|prefers)\b"
)
_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
# "Every Friday", "office days are Tuesday and Thursday", "office hours: Monday to Thursday".
_EACH_BEFORE = re.compile(
    r"\b(?:every|each)(?: other| second)? $|\btoday(?: is|'s) (?:a )?$"
    rf"|\b(?:days|hours|times)(?: are|:) (?:on |from )?(?:{_WEEKDAY}(?:, and|,| and| or| to) )*$"
)
_EACH_AFTER = re.compile(r" (?:mornings|afternoons|evenings|nights)\b")
_YEARLY_BEFORE = re.compile(
    r"\b(?:birthday|anniversary)(?:, which)?(?: is| falls|'s|:) (?:always )?(?:on |in )?(?:the )?$"
    r"|\b(?:have|has) (?:my|our|your|his|her|their|a) (?:\w+ )?(?:birthday|anniversary) (?:on|in) (?:the )?$"
)
_YEARLY_AFTER = re.compile(r"(?: is| are|'s) (?:a|an|the|my|our|your|his|her|their|so|too|very)\b")
_RECORDS = "pictures?|photos?|pics?|videos?|notes|letters?|e?mails?|messages?|receipts?"  # records are about the past
_LOOKS_BACK = re.compile(
    rf"\b(?:{_RECORDS})\b[^,.;!?]* (?:of|from)\b[^,.;!?]*$|\bsince (?:the )?$|\b(?:after|from|since) \w+ing\b[^,]*$"
)
# A thing is from a day ("the scar is from May"), a state begins on one ("the flat is ours from May").
_FROM = re.compile(r"(?:\b(?:is|are)|'s|'re)(?: \w+ly)? from (?:the )?$|\bof (?:the )?$")
_ARRANGED_FOR = (
    "postponed|rescheduled|delayed|pushed(?: back)?|put off|scheduled|booked|planned|reserved|arranged|extended"
    r"|signed(?: \w+)? up|registered|enrolled"
    r"|(?:bought|got|ordered|purchased|made)(?: [\w']+){0,3} (?:tickets?|seats?|passes|appointment|reservation)"
)
_OF_IT = r"(?: (?!and\b|but\b|then\b)[\w'&-]+){0,8}"  # the arranged thing
_LOOKS_AHEAD = re.compile(
    rf"\b(?:{_ARRANGED_FOR}|moved|shifted|set|invited){_OF_IT} (?:to|for) (?:the )?"
    rf"(?:(?:my|our|your|his|her|their) [\w']+ (?:on|in) )?$|\b(?:{_ARRANGED_FOR}){_OF_IT} (?:until|till) (?:the )?$"
    r"|\b(?:was|were|is|are|been|be|got) (?:moved|postponed|rescheduled|shifted) $"
)
# "We booked the ferry: Rostock to Trelleborg on 4 August": the booking is past, the date may not be.
_BOOKED = re.compile(r"\b(?:booked|reserved|scheduled)\b(?= .*\d)")
_REMAINS = re.compile(r"\b(?:what|there|how much|anything|nothing)(?:'s| is)(?: still)? left\b")
# Plans, wishes and promises: their time is ahead.
_ARRANGED = re.compile(
    r"\b(?:would|due|expected|supposed|booked|scheduled|reserved|arranged|planned|invited|registered|enrolled)\b"
    r"|\bsigned up\b|'d (?!\w+ed\b)\w+"
    r"|\b(?:promised|decided|agreed|wanted|hoped|offered|meant|(?:told|asked|invited) \w+) to\b"
    r"|\b(?:got|made|bought|had)\b.{0,60}\b(?:appointment|interview|meeting|reservation|deadline|tickets?)\b"
)
_NO_VERB = re.compile(
    r"\b(?:the|an?|my|our|your|his|her|their|this|that|new|whole) (?:book|plans?|schedule|hope|need)\b"
)


def _read_tense(clause: str) -> Tense | None:
    rest = _HAVE_GOT.sub(" have ", _REMAINS.sub(" is ", _ASIDE.sub(" ", clause)))
    rest, ahead = _FUTURE.subn(" ", rest)
    rest = _BOOKED.sub(" ", rest)
    if _PAST.search(_PASSIVE.sub(" is ", rest)):
        return "past"
    if ahead:
        return "future"
    return "present" if _PRESENT.search(rest) else None


def _counts_ahead(before: str, _after: str) -> bool:
    """The nearest verb decides: in "I heard he is back in two days" it is present."""
    told = _PASSIVE.sub(" is ", before)
    nearest = _NO_VERB.sub(" ", told[max((verb.end() for verb in _PAST.finditer(told)), default=0) :])
    return any(pattern.search(nearest) for pattern in (_FUTURE, _PRESENT)) or _ARRANGED.search(before) is not None


ENGLISH_VERBS = Verbs(
    read_tense=_read_tense,
    habit=_HABIT,
    each_before=_EACH_BEFORE,
    each_after=_EACH_AFTER,
    yearly_before=_YEARLY_BEFORE,
    yearly_after=_YEARLY_AFTER,
    looks_back=_LOOKS_BACK,
    is_from=_FROM,
    looks_ahead=lambda before, _: _LOOKS_AHEAD.search(before) is not None,
    counts_ahead=_counts_ahead,
)
