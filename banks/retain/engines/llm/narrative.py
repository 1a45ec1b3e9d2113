"""Narrative extraction: few facts, each the whole story of a matter."""

from typing import ClassVar

from banks.retain.engines.llm.answered_fact import AnsweredFact
from banks.retain.engines.llm.fact_rules import EARLIER_RULE, FACT_RULES
from banks.retain.engines.llm.reading import read_facts
from banks.retain.engines.llm.section import Section
from banks.retain.engines.llm.transcript import render_passage
from banks.retain.types import ExtractedFact
from providers.llm.prompting.fence import build_data_rule
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.protocol import ChatMessage

SYSTEM = f"""\
You keep the memory of an AI agent. You are given a passage, a conversation or a document, and write down what is \
worth knowing in a year.

{build_data_rule("passage")}

{EARLIER_RULE}

Write 2 to 5 facts. Fewer if the passage holds less, and an empty list if it holds nothing worth keeping; more only if \
it treats more than five separate matters.

{FACT_RULES}

Answer with a JSON object: {{"facts": [...]}}."""

CLOSING = "End of the passage. Write down its facts by the rules that you were given."


class NarrativeAnswer(ListedAnswer):
    listed: ClassVar[str] = "facts"

    facts: list[AnsweredFact]


def build_messages(section: Section) -> list[ChatMessage]:
    return [ChatMessage("system", SYSTEM), ChatMessage("user", f"{render_passage(section)}\n\n{CLOSING}")]


def read_answer(answer: NarrativeAnswer, section: Section) -> list[ExtractedFact]:
    return [fact for _, fact in read_facts(answer.facts, section)]
