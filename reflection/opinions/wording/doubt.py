"""Words that leave open which way a judgement goes: it is lessened, over, denied in part, or not said to be so at all.

By the kind of what they do, not by what they stand with; each takes its whole sentence out of what is judged.
"""

import re

LESSENED = (
    r"less|least|lesser|few|fewer|little|rarely|seldom|infrequently|occasionally|sometimes|at times|somewhat|partly"
    r"|partially|half|almost|nearly|reduc\w+|decreas\w+|lower(?:s|ed|ing)?|diminish\w*|undermin\w+|erod\w+"
)
OVER = (
    r"stop(?:s|ped|ping)?|ceas\w+|quit(?:s|ting)?|gave up|giv(?:es?|ing|en) up|used to|former(?:ly)?|previously"
    r"|until|till|no more|once(?= \w)(?! again| more)|before"
)
SET_APART = (
    r"far from|anything but|nothing but|all but|everything but|other than|short of|nothing like|except\w*"
    r"|(?:apart|aside|away) from|instead|only (?:if|when|where|in|on|at|by|for|with|after|as)"
)
NOT_SO = (
    r"false(?:ly)?|untrue|myths?|lie|lies|lied|lying|jokes?|illusions?|preten[dcs]\w*|feign\w*|fak(?:e|es|ed|ing)"
    r"|supposed(?:ly)?|alleg\w+|purport\w*|so-called|ostensibl[ey]|seeming(?:ly)?|apparent(?:ly)?|den(?:y|ies|ied|ying)"
    r"|refut\w+|disput\w+|disprov\w+|debunk\w*|doubt\w*|mistaken(?:ly)?|wrong(?:ly)?|incorrect(?:ly)?|in theory"
    r"|on paper|could|needs?|needed|ought|room for"
)
DENIED = r"(?:not|no|never|none|nobody|nothing|neither|nor|without|hardly|scarcely|barely|cannot|[a-z]+n't)"
# "not only", "not always", "no better", "never ... twice", "can't ... enough": what the denial denies is the other word
IN_PART = (
    rf"{DENIED}(?: [\w'-]+){{0,5}}? (?:only|just|merely|simply|always|(?<!at )all|every\w*|entirely|completely|wholly"
    r"|fully|totally|necessarily|more|most|better|best|worse|worst|perfect|ideal|enough|too|as|so much|question|wonder"
    r"|times|twice|thrice|(?:second|third|fourth) time)"
)
OPEN = re.compile(rf"\b(?:{LESSENED}|{OVER}|{SET_APART}|{NOT_SO}|{IN_PART})\b", re.IGNORECASE)
# Whoever does so to what is bad does well.
REMOVES = re.compile(
    r"\b(?:solv\w+|repair\w*|fix\w*|resolv\w+|overc[ao]m\w+|prevent\w*|avoid\w*|eliminat\w+|remov\w+|minimi[sz]\w+"
    r"|surviv\w+|cur(?:e|es|ed|ing)|mend(?:s|ed|ing)?|escap\w+|correct(?:s|ed|ing)|tackl\w+|forg[aio]v\w+|g[eo]t\w* rid"
    r"|recover\w*|handl\w+|address(?:es|ed|ing)|spot(?:s|ted)|detect\w*|diagnos\w+)\b",
    re.IGNORECASE,
)
ASSERTS = frozenset({"proved", "proven", "proves", "out", "found", "shown", "known", "happy", "glad", "able"})
BEING = frozenset({"be", "become", "remain", "stay", "seem", "look", "sound", "appear"})
REACH = 4  # words between "to" and what it introduces: "to be a very reliable"


def leaves_open(sentence: str) -> bool:
    return bool(OPEN.search(sentence))


def removes(sentence: str) -> bool:
    return bool(REMOVES.search(sentence))


def is_merely_aimed_at(before: list[str]) -> bool:
    """By the words before it: "tries to improve", "pretends to be honest", "too good". Not "proved to be honest"."""
    if "too" in before[-2:]:
        return True
    near = before[-REACH:]
    if "to" not in near:
        return False
    place = len(before) - 1 - before[::-1].index("to")
    is_verb = place == len(before) - 1 or bool(BEING & set(before[place + 1 :]))
    return is_verb and (place == 0 or before[place - 1] not in ASSERTS)
