"""The built-in engine of retain. It needs no language model and no network."""

from collections.abc import Sequence
from dataclasses import replace

from banks.entities.names.normalise import mentions
from banks.entities.resolution.identifier import Identifier
from banks.enums import Mode, Network
from banks.extraction_settings import ExtractionSettings
from banks.lifecycle.decisions import AddEverything
from banks.retain.engine import Extraction, FindKnown, find_nothing
from banks.types import ExtractedFact, FoundEntity, Passage, Turn
from banks.vectors import Step, report_nothing
from providers.usage import Usage
from rules.quotation import quote_passage


class BuiltinEngine:
    """Quotes in every extraction mode. It adds each fact and asks nobody about a name."""

    name = "builtin"
    batch_tokens = 0
    judge = AddEverything()
    identifier: Identifier | None = None

    def extract(
        self, passage: Passage, *, mode: Mode, find_known: FindKnown = find_nothing, step: Step = report_nothing
    ) -> Extraction:
        return Extraction(tuple(quote_passage(passage)))

    def reread(
        self, fact: ExtractedFact, known: Sequence[FoundEntity], settings: ExtractionSettings
    ) -> tuple[ExtractedFact, Usage]:
        """The entities and relationships of a text that a person wrote over a memory."""
        is_own_words = fact.network is not Network.WORLD
        turn = Turn("assistant" if is_own_words else "user", fact.speaker, fact.text, fact.mentioned_at)
        facts = quote_passage(Passage((turn,), is_document=not (is_own_words or fact.speaker)))
        still_named = {one.name.casefold(): one for one in known if mentions(fact.text, one.name)}
        found = {one.name.casefold(): one for part in facts for one in part.entities}
        relationships = tuple(one for part in facts for one in part.relationships)
        return replace(fact, entities=tuple((found | still_named).values()), relationships=relationships), Usage()
