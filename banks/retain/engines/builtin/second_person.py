"""Whether "you" is the listener. "You never know" is nobody, "take your time" is a phrase."""

from banks.english.parsed import Parsed

GROUPS = frozenset({"guys", "all", "two", "both", "folks", "people", "know", "see", "never"})  # "you all", "you know"
BEFORE_PHRASES = frozenset({"thank", "thanks", "see", "bet", "bless", "telling", "tell"})
GENERAL_MARKS = frozenset({"if", "when", "whenever", "once", "unless", "while", "until", "as", "no"})
ADVICE = frozenset(
    {"can", "ca", "could", "should", "must", "may", "might", "ought", "wo", "will", "'ll", "need", "got"}
)


def is_addressed(parsed: Parsed, places: list[int]) -> bool:
    """`places` are one sentence. One doubt leaves all of it: half of a sentence rewritten reads worse than none."""
    named = [place for place in places if parsed.words[place].lower in {"you", "your", "yours"}]
    if not named or any(_is_phrase(parsed, place) for place in named):
        return False
    if parsed.words[places[-1]].text.endswith("?"):
        return True
    words = {parsed.words[place].lower for place in places}
    return not words & GENERAL_MARKS and not words & ADVICE and not is_imperative(parsed, places)


def _is_phrase(parsed: Parsed, place: int) -> bool:
    words = parsed.words
    before = words[place - 1].lower if place else ""
    behind = words[place + 1].lower if place + 1 < len(words) else ""
    return before in BEFORE_PHRASES or (words[place].lower == "you" and behind in GROUPS)


def is_imperative(parsed: Parsed, places: list[int]) -> bool:
    roots = [place for place in places if parsed.words[place].dep == "ROOT"]
    return any(parsed.words[root].tag == "VB" and parsed.child(root, "nsubj", "aux") is None for root in roots)
