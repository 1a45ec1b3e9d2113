from collections.abc import Sequence
from uuid import UUID

from banks.entities.resolution.identifier import Identified, NameQuestion
from banks.retain.engines.llm.disambiguation import Candidate, IdentityQuestion, disambiguate
from providers.llm.protocol import LLM


class LLMIdentifier:
    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def identify(self, questions: Sequence[NameQuestion]) -> Identified:
        answered = disambiguate(self._llm, [build_question(question) for question in questions])
        identities = {
            question.name: UUID(identity.candidate) if identity.candidate else None
            for question, identity in zip(questions, answered.identities, strict=True)
            if identity.decided
        }
        return Identified(identities, answered.usage)


def build_question(question: NameQuestion) -> IdentityQuestion:
    choices = (
        Candidate(str(choice.id), choice.name, choice.kind, choice.aliases, choice.summary)
        for choice in question.choices
    )
    return IdentityQuestion(question.mention.name, question.text, tuple(choices), question.mention.kind)
