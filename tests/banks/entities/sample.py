from datetime import UTC, datetime, timedelta
from uuid import UUID

from banks.entities.types import Candidate, MentionOf
from banks.enums import EntityKind

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)


def make_mention(
    name: str, kind: EntityKind = EntityKind.PERSON, *, companions: tuple[str, ...] = (), days_later: int = 0
) -> MentionOf:
    return MentionOf(name, kind, frozenset(companions), NOON + timedelta(days=days_later))


def make_candidate(
    name: str,
    kind: EntityKind = EntityKind.PERSON,
    *,
    aliases: tuple[str, ...] = (),
    companions: tuple[str, ...] = (),
    is_speaker: bool = False,
) -> Candidate:
    seen_with = dict.fromkeys(companions, 2)
    return Candidate(make_id(name, kind), name, aliases, kind, seen_with, NOON, 3, is_speaker)


def make_id(name: str, kind: EntityKind = EntityKind.PERSON) -> UUID:
    return UUID(bytes=f"{name}{kind}".encode()[:16].ljust(16, b"."))
