from dataclasses import dataclass
from hashlib import sha256

from banks.enums import EntityKind

PERSON, PLACE, ORGANIZATION = EntityKind.PERSON, EntityKind.LOCATION, EntityKind.ORGANIZATION
PRODUCT, CONCEPT, OTHER = EntityKind.PRODUCT, EntityKind.CONCEPT, EntityKind.OTHER


@dataclass(frozen=True)
class Name:
    text: str
    kind: EntityKind
    is_stated: bool = False


@dataclass(frozen=True)
class Pair:
    category: str
    one: Name
    other: Name
    same: bool

    @property
    def is_training(self) -> bool:
        """Decided by the name that the pair was made from, so that no name is in both halves."""
        return sha256(self.other.text.casefold().encode()).digest()[0] % 2 == 0


def make_pair(category: str, one: str, other: str, kind: EntityKind, *, same: bool) -> Pair:
    return Pair(category, Name(one, kind), Name(other, kind), same)
