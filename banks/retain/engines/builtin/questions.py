"""The question that a turn answers: without it "5 years already!" means nothing."""

import re

LONGEST = 240  # characters; of a longer request the end says what is wanted
QUESTION = re.compile(r"[^.!?\n\u3002\uff01\uff1f]*[?\uff1f]")
LAST_PART = 2_000  # characters in which a question is looked for: the pattern is slow on what has none


def last_question(text: str) -> str:
    """Empty where nothing was asked."""
    found: list[str] = QUESTION.findall(text[-LAST_PART:])
    return _ending(found[-1]) if found else ""


def request_gist(text: str) -> str:
    """What was wanted: an agent is asked in imperatives as well, so the whole of a short message counts."""
    flat = " ".join(text.split())
    if len(flat) <= LONGEST:
        return flat
    return last_question(text) or _ending(flat)


def _ending(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) <= LONGEST:
        return flat
    tail = flat[-LONGEST:]
    return f"\u2026{tail.partition(' ')[2] or tail}"
