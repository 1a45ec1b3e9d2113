"""Words that tell a cause, and which side of them tells what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from banks.retain.types import CauseType

AFTER_CUE = r"(?P<other>[^.!?;\n]+)"
CUES: tuple[tuple[re.Pattern[str], CauseType], ...] = tuple(
    (re.compile(cue + AFTER_CUE, re.IGNORECASE), kind)
    for cue, kind in (
        (r"\b(?:because|['\u2019]cause)(?: of)?\s+", CauseType.CAUSED_BY),
        (r"\b(?:due|thanks|owing) to\s+", CauseType.CAUSED_BY),
        (
            r"\b(?:as a result of|on account of|in response to|caused by|inspired by|triggered by)\s+",
            CauseType.CAUSED_BY,
        ),
        (r"\b(?:led|leads|leading) (?:\w+ )?to\s+", CauseType.CAUSES),
        (r"\b(?:resulted|results|resulting) in\s+", CauseType.CAUSES),
        (r"\b(?:inspired|motivated|convinced|pushed|encouraged) (?:me|us|him|her|them) to\s+", CauseType.CAUSES),
        (r"\bmade (?:me|us|him|her|them)\s+", CauseType.CAUSES),
        (r"\b(?:so that|in order to)\s+", CauseType.ENABLES),
        (
            r"\b(?:allowed|allows|enabled|enables|let|lets|helped|helps) (?:me|us|him|her|them) (?:to )?",
            CauseType.ENABLES,
        ),
        (r"\b(?:made|makes) it possible to\s+", CauseType.ENABLES),
        (r"\b(?:prevented|prevents|stopped|stops|kept|keeps) (?:me|us|him|her|them|it) from\s+", CauseType.PREVENTS),
        (r"\b(?:prevented|blocked|ruled out)\s+", CauseType.PREVENTS),
    )
)
POINTS_BACK = re.compile(
    r"\A\W*(?:(?:yeah|yes|well|and|so),?\s+)?(?:that(?:'|\u2019)?s why|therefore|consequently|as a result|hence|"
    r"for that reason|because of (?:that|this)|thanks to (?:that|this)|that made me|that led)\b",
    re.IGNORECASE,
)
ASKS_WHY = re.compile(r"\b(?:why|how come|what made (?:you|him|her|them)|what for|for what reason)\b", re.IGNORECASE)


@dataclass(frozen=True)
class CauseCue:
    """The text is `type` of what `other` tells: "because it rained" makes it caused by "it rained"."""

    type: CauseType
    other: str


def find_cues(text: str) -> Iterator[CauseCue]:
    for pattern, kind in CUES:
        for match in pattern.finditer(text):
            yield CauseCue(kind, match["other"].strip(" ,"))


def points_back(text: str) -> bool:
    """The text begins with what follows from the one before it."""
    return POINTS_BACK.search(text) is not None


def asks_why(question: str) -> bool:
    return ASKS_WHY.search(question) is not None
