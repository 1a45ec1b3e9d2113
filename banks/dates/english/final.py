"""Where "last" says that nothing comes behind it: "my last day at work", "the last year of school"."""

import re

# Some need a word before them: "I met her last week", "a ball of his last week", "at Joe's last week".
_WHOSE = re.compile(
    r"(?<!how was )(?<!how were )(?<!recap )(?<!review )(?<!summarize )(?<!summarise )(?<!of )"
    r"\b(?:my|our|your|his|their|its|whose|(?:is|was|in|on|during|until|before|after) (?:her|\w+'s)) $"
)
_THE = re.compile(r"\bthe $")
_SPAN = re.compile(r"\b(?:in|over|during|within|for|from|since) the $")  # "in the last year I smoked a lot"
_OF_WHAT = re.compile(r" (?:of|before)\b")
_WHERE_OR_WHO = re.compile(r" (?:at\b|(?:that |when |where )?(?:i|you|we|he|she|they|it) (?!have\b|has\b))")
_OR_TWO = re.compile(r" or (?:two|so)\b")
_SEASON_OF_THING = re.compile(
    r"\s+(?:spring|summer|autumn|fall|winter) (?!(?:and|or|in|at|on|of|with|to|for|when|i|we|he|she|they|was|were|is"
    r"|holidays?|vacations?|break|trip)\b)[a-z]"
)
_AROUND = 40  # characters before it in which the words stand that belong to it


def is_final(match: re.Match[str], turn: str, unit: str = "") -> bool:
    """Of a match that holds the turn: "last day" alone is never yesterday, and a bare "my last week" the final one.

    Who asks how that was, or for a summary of it, means the one that is over.
    """
    if not turn.endswith("last"):
        return False
    before = _before(match.string, match.string.index("last", match.start()))
    if _WHOSE.search(before):
        return True
    is_span = _SPAN.search(before) is not None
    if _THE.search(before) and (
        _OF_WHAT.match(match.string, match.end()) or (_WHERE_OR_WHO.match(match.string, match.end()) and not is_span)
    ):
        return True
    return unit == "day" and turn == "last" and not is_span and not _OR_TWO.match(match.string, match.end())


def is_of_own_thing(last: re.Match[str]) -> bool:
    """As in "my last summer job", which is the last job."""
    is_whose = last[1] == "last" and _WHOSE.search(_before(last.string, last.start())) is not None
    return is_whose and _SEASON_OF_THING.match(last.string, last.end()) is not None


def _before(text: str, place: int) -> str:
    return text[max(0, place - _AROUND) : place]
