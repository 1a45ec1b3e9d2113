from collections.abc import Sequence

from banks.entities.resolution.identifier import Identifier
from banks.lifecycle.deciding.rule_judge import RuleJudge
from banks.retain.engines.builtin.calibration import Embed, calibrate
from banks.retain.engines.builtin.narrative import narrate
from banks.retain.engines.builtin.verbatim import quote_all
from banks.retain.engines.protocol import Extraction, KnownFact
from banks.retain.types import Passage
from banks.words import Mode
from providers.usage import Usage


class BuiltinEngine:
    """Needs no LLM and no network. `embed` lets the calibrated mode know a fact by its meaning, too."""

    name = "builtin"
    identifier: Identifier | None = None

    def __init__(self, *, embed: Embed | None = None) -> None:
        self._embed = embed
        self.judge = RuleJudge()

    def extract(self, passage: Passage, *, mode: Mode, known: Sequence[KnownFact] = ()) -> Extraction:
        if mode is Mode.VERBATIM:
            return Extraction(tuple(quote_all(passage)), Usage())
        facts = narrate(passage)
        if mode is Mode.NARRATIVE:
            return Extraction(tuple(facts), Usage())
        calibrated = calibrate(facts, known, embed=self._embed)
        return Extraction(tuple(calibrated.facts), calibrated.usage)
