"""What is asked about in one call, and who may see what comes of it: an answer may have the words of all of it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank
from reflection.opinions.tagging import UNTAGGED, Tags, may_read, read_tags
from reflection.opinions.weighing.assessing import OpinionQuestion

MOST_PARTS = 8  # of a step, by the tags of the opinions and their facts

TagsOf = Mapping[UUID, Tags]


def read_all_tags(bank: Bank, questions: Collection[OpinionQuestion]) -> dict[UUID, Tags]:
    """Of the opinions and of their facts. Call inside a tenant transaction."""
    ids = {one_id for one in questions for one_id in (one.opinion_id, *(fact.id for fact in one.facts))}
    return read_tags(bank, ids)


def part_by_tags(questions: Sequence[OpinionQuestion], tags: TagsOf) -> Iterator[Sequence[OpinionQuestion]]:
    """Opinions under the same tags are asked about together, but for those that met what not all who see them may see:
    these with others that met the like. Who sees one and what it met may then see all that was asked about.

    Beyond a few sets the rest is asked about together; what may not be told of it is not kept (`Asked`).
    """
    alike: dict[tuple[Tags, frozenset[Tags]], list[OpinionQuestion]] = {}
    for question in questions:
        own = tags.get(question.opinion_id, UNTAGGED)
        foreign = frozenset(met for met in list_met(question, tags) if not may_read(own, met))
        alike.setdefault((own, foreign), []).append(question)
    largest = sorted(alike.values(), key=len, reverse=True)
    yield from largest[:MOST_PARTS]
    if rest := [question for part in largest[MOST_PARTS:] for question in part]:
        yield rest


def list_met(question: OpinionQuestion, tags: TagsOf) -> list[Tags]:
    return [tags.get(fact.id, UNTAGGED) for fact in question.facts]


@dataclass(frozen=True)
class Asked:
    """What was asked about together, by its tags."""

    said: frozenset[Tags]
    tags: TagsOf

    def may_reword(self, question: OpinionQuestion) -> bool:
        """Whether all who see the opinion may see everything, be it a fact or another opinion."""
        own = self.tags.get(question.opinion_id, UNTAGGED)
        return all(may_read(own, one) for one in self.said)

    def may_reason(self, question: OpinionQuestion) -> bool:
        """Whether all may who see the opinion and every fact that it met: nobody else is shown the reason."""
        seen = {self.tags.get(question.opinion_id, UNTAGGED), *list_met(question, self.tags)}
        return all(any(may_read(own, one) for own in seen) for one in self.said)


def read_asked(bank: Bank, questions: Collection[OpinionQuestion]) -> Asked:
    """Call inside a tenant transaction."""
    tags = read_all_tags(bank, questions)
    own = {tags.get(question.opinion_id, UNTAGGED) for question in questions}
    return Asked(frozenset(own.union(*(list_met(question, tags) for question in questions))), tags)
