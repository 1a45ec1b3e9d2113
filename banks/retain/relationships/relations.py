"""Relations of which there is one at a time: another object is news, not an addition."""

from dataclasses import dataclass, fields

from banks.english.spelling import spell_one_way
from banks.retain.types import FoundRelationship

ONE_VALUE = frozenset({"works_at", "lives_in", "occupation", "married_to", "engaged_to", "dating", "born_in"})
ONE_VALUE_PREFIXES = ("favourite_", "has_")  # a favourite, and a number of something


@dataclass(frozen=True)
class Ending(FoundRelationship):
    """It is over since `valid_from`, or since it was said. Without an object: whatever of the relation held."""


@dataclass(frozen=True)
class Beside(FoundRelationship):
    """It is so beside what else is so: "I also work at Aldi" ends no other job."""


@dataclass(frozen=True)
class TakenBack(FoundRelationship):
    """What was announced to begin is not to be: "I'm not moving to Rome". What it would have ended goes on."""


@dataclass(frozen=True)
class Staying(FoundRelationship):
    """It is so and goes on, whatever was announced to end it: "I'm staying in Berlin", "I'm not leaving Siemens"."""


def beside(found: FoundRelationship) -> Beside:
    return Beside(**{field.name: getattr(found, field.name) for field in fields(found)})


def name_relation(relation: str) -> str:
    """The same name whichever way it is spelt: favorite_colour is favourite_color."""
    spelt = "_".join(map(spell_one_way, relation.split("_")))
    return f"favourite_{spelt.removeprefix('favorite_')}" if spelt.startswith("favorite_") else spelt


def holds_one_value(relation: str) -> bool:
    named = name_relation(relation)
    return named in ONE_VALUE or named.startswith(ONE_VALUE_PREFIXES)
