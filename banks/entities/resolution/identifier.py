"""Whom a name means, asked of somebody who can read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from banks.entities.names.normalise import identity_key
from banks.entities.types import MentionOf
from banks.words import EntityKind
from providers.usage import Usage

Name = tuple[str, EntityKind]
Identities = Mapping[Name, UUID | None]  # None: none of those that were asked about


@dataclass(frozen=True)
class Choice:
    id: UUID
    name: str
    kind: EntityKind
    aliases: tuple[str, ...]
    summary: str


@dataclass(frozen=True)
class NameQuestion:
    """`text` is the fact that the name stands in."""

    mention: MentionOf
    text: str
    choices: tuple[Choice, ...]

    @property
    def name(self) -> Name:
        return identity_key(self.mention.name), self.mention.kind


@dataclass(frozen=True)
class Identified:
    identities: Identities
    usage: Usage


class Identifier(Protocol):
    """Thread-safe. Names and texts are data: nothing in them is an instruction."""

    def identify(self, questions: Sequence[NameQuestion]) -> Identified:
        """Leaves out what it could not decide. Call outside of transactions: a model may take its time."""
        ...
