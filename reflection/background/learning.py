"""What people told the agent about itself, in what they said to it."""

import re
from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from banks.models import Bank, Message, UnitSource
from banks.retain.chunking.sentences import split_sentences
from reflection.background.attributes import find_attributes
from reflection.background.clauses import SUBJECT, join_clauses, split_clauses
from reflection.background.denials import find_denial
from reflection.background.first_person import to_first_person

MOST = 20  # statements that are learned from one retain
MOST_CHARACTERS = 2_000  # of all of them: a background has a few hundred

TO_THE_AGENT = re.compile(r"\b(?:you|your)\b", re.IGNORECASE)
OF_THE_SPEAKER = re.compile(r"\b(?:i|me|my|mine|we|our|us)\b", re.IGNORECASE)


def read_told(bank: Bank, unit_ids: Collection[UUID]) -> list[str]:
    """What users said to the agent, in the messages that these memories rest on. Call inside a tenant transaction.

    What the agent says of itself may be made up, and would come back as what it is. Where it takes no part in the
    talk, "you" is somebody else; with its first reply all that was said in the talk before was said to it.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, message__isnull=False)
    messages = Message.objects.of_bank(bank)
    arrived = messages.filter(id__in=sources.values("message_id"))
    replies = messages.filter(role="assistant", episode__isnull=False)
    earlier = replies.filter(episode_id=OuterRef("episode_id"), recorded_at__lt=OuterRef("recorded_at"))
    joined = arrived.filter(role="assistant", episode__isnull=False).exclude(Exists(earlier))
    told = messages.filter(role="user").filter(
        Q(id__in=arrived.values("id"), episode_id__in=replies.values("episode_id"))
        | Q(episode_id__in=joined.values("episode_id"))
    )
    return list(told.order_by("said_at", "id").values_list("content", flat=True))


def find_snippets(texts: Sequence[str], name: str) -> list[str]:
    """Statements about who the agent is, in its own words; what only passes, such as what it did, is none.

    In their order; where they are more than one merge takes, the newest.
    """
    found: dict[str, None] = {}
    room = MOST_CHARACTERS
    for snippet in read_newest(texts, name):
        if len(found) == MOST:
            break
        if snippet not in found and len(snippet) <= room:
            found[snippet] = None
            room -= len(snippet)
    return list(reversed(found))


def read_newest(texts: Sequence[str], name: str) -> Iterator[str]:
    """The last first, and no more of them than are asked for."""
    for text in reversed(texts):
        for span in reversed(list(split_sentences(text))):
            sentence = span.read(text).strip()
            if is_about_the_agent(sentence, name):
                yield from reversed(read_snippets(sentence, name))


def read_snippets(sentence: str, name: str) -> list[str]:
    return [
        join_clauses(clauses)
        for parts in split_clauses(to_first_person(sentence, name))
        if (clauses := [clause for clause in parts if SUBJECT.match(clause) and says_who(clause)])
    ]


def says_who(clause: str) -> bool:
    """Also by denying it: who no longer lives in Texas is somebody else than before."""
    denial = find_denial(clause)
    return bool(find_attributes(denial.claim if denial else clause))


def is_about_the_agent(sentence: str, name: str) -> bool:
    """Neither a question nor half about the speaker: "You and I live in Rome" is left alone."""
    meant = TO_THE_AGENT.search(sentence) or (name and name.casefold() in sentence.casefold())
    return bool(meant) and not sentence.endswith("?") and not OF_THE_SPEAKER.search(sentence)
