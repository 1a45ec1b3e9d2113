from banks.dates.fold import fold
from retrieval.query.cues import COUNTED_TIME, CUES, ELAPSED_CUES, NO_PREFERENCE_CUES
from retrieval.types import QuestionType

WEAKER_THAN_TIME = {QuestionType.FACTUAL, QuestionType.MULTI_HOP}
WEAKER_THAN_ELAPSED = {*WEAKER_THAN_TIME, QuestionType.COUNTING, QuestionType.KNOWLEDGE_UPDATE}


def find_type(text: str, *, has_window: bool) -> QuestionType:
    """By cues, the most telling first. A question that names a time and shows nothing else is a temporal one."""
    folded = fold(text).text
    found = next((kind for kind in CUES if shows(kind, folded)), QuestionType.FACTUAL)
    if found in WEAKER_THAN_TIME and has_window:
        return QuestionType.TEMPORAL
    if found in WEAKER_THAN_ELAPSED and asks_for_elapsed_time(folded):
        return QuestionType.TEMPORAL
    return found


def shows(kind: QuestionType, folded: str) -> bool:
    if kind is QuestionType.PREFERENCE:
        folded = NO_PREFERENCE_CUES.sub(" ", folded)
    return CUES[kind].search(folded) is not None


def asks_for_elapsed_time(folded: str) -> bool:
    return COUNTED_TIME.search(folded) is not None or ELAPSED_CUES.search(folded) is not None
