"""Matching claims with held opinions: the database finds the nearest ones, a model decides how they relate."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Generic, TypeVar
from uuid import UUID

from django.db import connection
from pydantic import BaseModel, BeforeValidator

from banks.facts import hash_words
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.prompting import excerpt
from banks.vectors import use_slot, write_vector
from providers.embedding.vector import Vector
from providers.llm.prompting.fence import build_data_rule, label
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.tolerance import Number, snake
from providers.llm.protocol import LLM
from providers.usage import Usage
from reflection.opinions.model_calls import ask_model
from reflection.opinions.tags import UNTAGGED, TaggedText, Tags
from tenants.transactions import tenant_transaction

S = TypeVar("S")
T = TypeVar("T")

NEAR = 0.63  # cosine from which the model is asked; "Ana is amazing" and "I hate Ana" have 0.69
NEAR_WITH_ENTITY = 0.5  # the same for opinions about a shared entity, who may go by another name in each text
MOST_FOUND = 50
MOST_ASKED = 10  # held opinions for one claim
ROUNDS = 5  # held opinions that others change in the meantime are matched again, this often
NOT_A_WORD = re.compile(r"[\W_]+")

Aliases = tuple[tuple[str, ...], ...]
Compared = tuple[str, Aliases]  # the text of an opinion, and the aliases of its entities

# Live opinions, and those that a person retired. One statement serves all claims; each vector is parsed once.
FIND = """
WITH asked AS MATERIALIZED (
    SELECT place, vector::vector AS vector, content_hash
    FROM unnest(%(place)s::int[], %(vector)s::text[], %(content_hash)s::bytea[]) AS given (place, vector, content_hash)
)
SELECT asked.place, near.id, near.text, near.confidence, near.review, near.cosine, ARRAY(
    SELECT entity_id FROM banks_mention AS mention WHERE mention.tenant_id = %(tenant_id)s AND mention.unit_id = near.id
), ARRAY(
    SELECT tag.tag::text FROM banks_unittag AS tag WHERE tag.tenant_id = %(tenant_id)s AND tag.unit_id = near.id
), ARRAY(
    SELECT string_agg(name.name, chr(10) ORDER BY name.uses DESC, name.id)
    FROM banks_mention AS mention
    JOIN banks_entityname AS name ON name.tenant_id = mention.tenant_id AND name.entity_id = mention.entity_id
    WHERE mention.tenant_id = %(tenant_id)s AND mention.unit_id = near.id
    GROUP BY mention.id HAVING count(*) > 1
    ORDER BY mention.entity_id
)
FROM asked CROSS JOIN LATERAL (
    SELECT unit.id, unit.text, unit.confidence, unit.review,
        coalesce(1 - (unit.{vector} <=> asked.vector), 0) AS cosine
    FROM (
        SELECT id, text, confidence, review, {vector}, content_hash FROM banks_memoryunit
        WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND network = 'opinion' AND expired_at IS NULL
        UNION ALL
        SELECT id, text, confidence, review, {vector}, content_hash FROM banks_memoryunit
        WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND expired_at IS NOT NULL AND review = 'retired'
          AND id = ANY(ARRAY(
            SELECT opinion_id FROM reflection_opinionrevision
            WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND cause = 'retired'
          ))
    ) AS unit
    WHERE unit.id <> ALL(%(without)s)
      AND (unit.content_hash = asked.content_hash OR 1 - (unit.{vector} <=> asked.vector) >= %(near)s)
    ORDER BY 5 DESC, unit.id
    LIMIT %(most)s
) AS near
ORDER BY asked.place, near.cosine DESC, near.id
"""


class Relation(StrEnum):
    SAME = "same"
    OPPOSITE = "opposite"
    UNRELATED = "unrelated"


@dataclass(frozen=True)
class HeldOpinion:
    """`cosine` is to the claim. `aliases` are the names of each entity that has several, the most used first."""

    id: UUID
    text: str
    confidence: float
    review: str
    cosine: float
    entity_ids: frozenset[UUID] = field(default_factory=frozenset)
    tags: Tags = UNTAGGED
    aliases: Aliases = ()

    @property
    def compared(self) -> Compared:
        return self.text, self.aliases

    @property
    def is_pinned(self) -> bool:
        return self.review == MemoryUnit.Review.PINNED

    @property
    def is_retired(self) -> bool:
        return self.review == MemoryUnit.Review.RETIRED


@dataclass(frozen=True, eq=False)
class Claim:
    """An opinion that the agent states, beside the held ones.

    `evidence` are facts, or the unit in which the agent said it, which `is_statement` says. `names` are those that its
    author listed. `vector` is None while a statement waits for it. `said_at` is the date of a statement; without it the
    agent thinks so now.
    """

    text: str
    vector: Vector | None
    entity_ids: frozenset[UUID] = frozenset()
    tags: Tags = UNTAGGED
    confidence: float = 0.0
    evidence: tuple[UUID, ...] = ()
    reasoning: str = ""
    names: tuple[str, ...] = ()
    is_statement: bool = False
    said_at: datetime | None = None

    @property
    def tagged_text(self) -> TaggedText:
        return TaggedText(self.text, self.tags)

    def is_similar(self, other: "Claim") -> bool:
        if self.vector is None or other.vector is None:
            return False
        return float(self.vector @ other.vector) >= NEAR_WITH_ENTITY


def find_nearest(bank: Bank, claims: Sequence[Claim], *, without: Collection[UUID] = ()) -> list[list[HeldOpinion]]:
    """The held opinions that each claim is compared with, the nearest first.

    An opinion in the same words is among them even while it waits for its vector. A claim without a vector has none.
    """
    places = [place for place, claim in enumerate(claims) if claim.vector is not None]
    given: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "place": places,
        "vector": [write_vector(claim.vector) for claim in claims if claim.vector is not None],
        "content_hash": [hash_words(claims[place].text) for place in places],
        "near": NEAR_WITH_ENTITY,
        "most": MOST_FOUND,
        "without": list(without),
    }
    found: list[list[HeldOpinion]] = [[] for _ in claims]
    if not places:
        return found
    with connection.cursor() as cursor:
        cursor.execute(use_slot(bank, FIND), given)
        for place, unit_id, text, confidence, review, cosine, entity_ids, tags, names in cursor:
            aliases = tuple(tuple(several.splitlines()) for several in names)
            about = frozenset(entity_ids)
            held = HeldOpinion(unit_id, text, confidence, review, cosine, about, frozenset(tags), aliases)
            if is_near(claims[place], held):
                found[place].append(held)
    return [near[:MOST_ASKED] for near in found]


def is_near(claim: Claim, held: HeldOpinion) -> bool:
    return held.cosine >= NEAR or bool(claim.entity_ids & held.entity_ids) or is_equal(claim.text, held.text)


def is_equal(one: str, other: str) -> bool:
    return normalise(one) == normalise(other)


def normalise(text: str) -> str:
    """Without case and punctuation."""
    return NOT_A_WORD.sub(" ", text.casefold()).strip()


@dataclass(frozen=True)
class MatchQuestion:
    """A claim with the opinions that it is compared with: their texts, each with the aliases of its entities."""

    claim: str
    opinions: tuple[Compared, ...]

    @property
    def pairs(self) -> int:
        return len(self.opinions)

    def render(self, number: int) -> Iterator[str]:
        yield f"claim {number}:"
        yield from excerpt(self.claim).lines
        for place, (text, aliases) in enumerate(self.opinions, start=1):
            known = "; ".join(" = ".join(map(label, names)) for names in aliases)
            yield f"opinion {place} for claim {number}{f' (names of the same entity: {known})' if known else ''}:"
            yield from excerpt(text).lines


@dataclass(frozen=True)
class Relations:
    """The model's decisions by the two texts. `usage` is what they cost."""

    decided: Mapping[tuple[str, str], Relation] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def find(self, claim: str, held: str) -> Relation:
        """Equal texts are the same. A pair without a readable decision is unrelated."""
        if is_equal(claim, held):
            return Relation.SAME
        return self.decided.get((claim, held)) or self.decided.get((held, claim)) or Relation.UNRELATED

    def knows(self, claim: str, held: str) -> bool:
        return is_equal(claim, held) or (claim, held) in self.decided or (held, claim) in self.decided

    def find_same(self, claim: str, held: Iterable[HeldOpinion], *, tags: Tags) -> HeldOpinion | None:
        """The opinion in equal words, else the nearest that says the same.

        Only under the same tags: an opinion with other tags has sources that are not for everybody who sees the claim.
        """
        alike = [one for one in held if one.tags == tags and self.find(claim, one.text) is Relation.SAME]
        return next((one for one in alike if is_equal(claim, one.text)), next(iter(alike), None))

    def list_opposite(self, claim: str, held: Iterable[HeldOpinion]) -> list[HeldOpinion]:
        """Of all tags: an agent does not hold two opposites. A retired opinion is not held."""
        return [one for one in held if not one.is_retired and self.find(claim, one.text) is Relation.OPPOSITE]

    def __add__(self, other: "Relations") -> "Relations":
        decided = {**self.decided, **other.decided}
        return Relations(decided, self.usage + other.usage)


SYSTEM = f"""\
You compare beliefs of an AI agent. Each numbered claim of the agent comes with numbered opinions that it already \
holds. Decide for each opinion how the claim relates to it.

{build_data_rule("list of claims and opinions")}

- same: both make the same judgement of the same matter, in whichever words. The reasons may differ.
- opposite: both judge the same matter, and the agent can't hold the two at once; or the claim says that the agent has \
given up this opinion.
- unrelated: another matter, another aspect of it, another person or thing, another condition or time, a claim that \
only adds to the opinion; or you are in doubt.

Answer with a JSON object: {{"pairs": [{{"claim": 1, "opinion": 1, "relation": "unrelated"}}]}}. Every opinion of \
every claim gets a relation."""

CLOSING = "End of the list. Decide on every pair by the rules that you were given."


def find_relation(value: object) -> Relation | None:
    return next((one for one in Relation if snake(value) == one), None)


class AnsweredPair(BaseModel):
    claim: Number = None
    opinion: Number = None
    relation: Annotated[Relation | None, BeforeValidator(find_relation)] = None


class MatchAnswer(ListedAnswer):
    listed: ClassVar[str] = "pairs"

    pairs: list[AnsweredPair]


class OpinionMatcher:
    """Asks a model how claims relate to held opinions. Thread-safe."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def match(self, questions: Sequence[MatchQuestion]) -> Relations:
        """Call outside of transactions. Raises `LLMError` where the model can't be asked at all."""
        answers, usage = ask_model(self._llm, (SYSTEM, CLOSING), MatchAnswer, questions, read_relations)
        decided: dict[tuple[str, str], Relation] = {}
        for question, found in zip(questions, answers, strict=True):
            for place, (text, _) in enumerate(question.opinions, start=1):
                decided[question.claim, text] = (found or {}).get(place, Relation.UNRELATED)
        return Relations(decided, usage)


def read_relations(answer: MatchAnswer, number: int, _: MatchQuestion) -> dict[int, Relation]:
    """By the places of the opinions."""
    return {one.opinion: one.relation for one in answer.pairs if one.claim == number and one.opinion and one.relation}


Pairs = Iterable[tuple[str, Iterable[Compared]]]  # each claim with the opinions that it is compared with


def match_missing(matcher: OpinionMatcher, known: Relations, pairs: Pairs) -> Relations:
    """The known relations with those of the pairs that are not among them. Call outside of transactions."""
    questions = []
    for claim, opinions in pairs:
        missing = tuple(one for one in dict.fromkeys(opinions) if not known.knows(claim, one[0]))
        questions += [MatchQuestion(claim, missing)] if missing else []
    return known + matcher.match(questions) if questions else known


@dataclass
class MatchedWrite(Generic[S, T]):
    """A write of opinions that a model compares with the held ones first.

    `survey` reads the bank, `list_pairs` names the pairs in it, `write` writes. `open` opens the transaction of the
    write. `usage` is what the model cost so far, also where it failed in the end.
    """

    survey: Callable[[], S]
    list_pairs: Callable[[S], Pairs]
    write: Callable[[S, Relations], T]
    open: Callable[[], AbstractContextManager[object]]
    usage: Usage = field(default_factory=Usage)

    def run(self, bank: Bank, matcher: OpinionMatcher) -> T:
        """Call outside of transactions: none is open while the model works.

        The write sees the bank as it is by then. Pairs that are new in it are matched in another round; the last round
        takes them as unrelated.
        """
        relations = Relations()
        for left in reversed(range(ROUNDS)):
            with tenant_transaction(bank.tenant_id):
                pairs = list(self.list_pairs(self.survey()))
            relations = match_missing(matcher, relations, pairs)
            self.usage = relations.usage
            with self.open():
                lock_memory(bank)
                seen = self.survey()
                compared = ((claim, text) for claim, opinions in self.list_pairs(seen) for text, _ in opinions)
                if not left or all(relations.knows(*pair) for pair in compared):
                    return self.write(seen, relations)
        raise AssertionError("The last round writes.")
