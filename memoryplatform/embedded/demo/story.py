"""The story of the demo bank, read from the TOML files in `story/`.

Days count from the day of seeding: -3 is three days ago. In a text, `{-3}` becomes "14 November" and `{-3y}` becomes
"14 November 2026". Facts have keys, and the other parts of the story refer to them by their keys.
"""

import re
import tomllib
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from banks.enums import EntityKind, Network
from banks.models import Link
from reflection.models import OpinionRevision

FOLDER = Path(__file__).parent / "story"
FILES = ("profile", "conversations", "beliefs", "activity")
DAY = re.compile(r"\{([+-]\d+)(y?)\}")


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fact(Part):
    """A memory, and the words that it comes from.

    `on` is the day of an event, `since` the first day of a state. `replaces` is the fact that it closes for a reason.
    """

    key: str
    text: str
    quote: str
    network: Network = Network.WORLD
    on: int | None = None
    days: int = 1
    since: int | None = None
    replaces: str = ""
    reason: Literal["update", "correction"] = "update"
    importance: float = 0.5
    why: str = ""
    where: str = ""


class Labels(Part):
    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = Field(default_factory=dict)


class Said(Part):
    """`after` is the number of minutes since the message before."""

    by: str
    text: str
    after: int = 2
    facts: tuple[Fact, ...] = ()


class Talk(Labels):
    """A run of messages: an episode of a thread."""

    thread: str
    at: str
    messages: tuple[Said, ...]


class Paper(Labels):
    document_id: str
    at: str
    text: str
    facts: tuple[Fact, ...]


class Named(Part):
    """An entity. Facts that contain its name or an alias mention it."""

    name: str
    kind: EntityKind
    aliases: tuple[str, ...] = ()
    attributes: dict[str, str] = Field(default_factory=dict)


class Relation(Part):
    subject: str
    relation: str
    object: str = ""
    value: str = ""
    text: str
    facts: tuple[str, ...]


class Step(Part):
    """A revision of an opinion: a verdict on a fact, or the act of a person."""

    cause: OpinionRevision.Cause
    why: str
    fact: str = ""
    by: str = "consolidate"
    at: str = ""
    text: str = ""


class Belief(Part):
    text: str
    at: str
    confidence: float
    facts: tuple[str, ...]
    why: str
    steps: tuple[Step, ...] = ()


class Summary(Part):
    text: str
    facts: tuple[str, ...]


class Cause(Part):
    source: str
    type: Link.Type
    target: str
    weight: float = 0.9


class Revision(Part):
    """A version of the background or of a mental model."""

    at: str
    text: str
    by: str = ""
    snippet: str = ""
    facts: tuple[str, ...] = ()


class Model(Part):
    key: str
    name: str
    question: str
    revisions: tuple[Revision, ...]


class Rule(Part):
    at: str
    name: str
    text: str


class Profile(Part):
    name: str
    skepticism: int
    literalism: int
    empathy: int
    bias_strength: float
    opinion_step: float


class Asked(Part):
    """A recall. `useful` and `useless` are results that a caller marked, with the comment."""

    at: str
    query: str
    type: str
    facts: tuple[str, ...]
    milliseconds: int
    useful: str = ""
    useless: str = ""
    comment: str = ""


class Work(Part):
    at: str
    kind: str
    seconds: int
    error_code: str = ""
    error_detail: str = ""


class Suspect(Part):
    """A message that the protection of the bank holds back."""

    at: str
    thread: str
    by: str
    text: str


class Story(Part):
    bank: Profile
    background: tuple[Revision, ...]
    rules: tuple[Rule, ...]
    models: tuple[Model, ...]
    entities: tuple[Named, ...]
    talks: tuple[Talk, ...]
    papers: tuple[Paper, ...]
    relations: tuple[Relation, ...]
    opinions: tuple[Belief, ...]
    observations: tuple[Summary, ...]
    causes: tuple[Cause, ...]
    recalls: tuple[Asked, ...]
    work: tuple[Work, ...]
    suspects: tuple[Suspect, ...]


def read_story(today: date) -> Story:
    written: dict[str, Any] = {}
    for name in FILES:
        written |= tomllib.loads((FOLDER / f"{name}.toml").read_text())
    return Story.model_validate(write_days(written, today))


def write_days(value: Any, today: date) -> Any:
    """The value with the dates in its texts."""
    if isinstance(value, str):
        return DAY.sub(lambda found: write_day(today + timedelta(int(found[1])), with_year=bool(found[2])), value)
    if isinstance(value, dict):
        return {name: write_days(inner, today) for name, inner in value.items()}
    return [write_days(inner, today) for inner in value] if isinstance(value, list) else value


def write_day(day: date, *, with_year: bool) -> str:
    return f"{day.day} {day:%B}{day: %Y}" if with_year else f"{day.day} {day:%B}"


def find_day(today: date, offset: int) -> datetime:
    return datetime.combine(today + timedelta(offset), time.min, UTC)


def find_moment(today: date, written: str) -> datetime:
    """`-12 09:30` is half past nine, twelve days ago."""
    day, clock = written.split()
    return datetime.combine(today + timedelta(int(day)), time.fromisoformat(clock), UTC)
