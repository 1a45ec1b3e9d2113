"""What happens while an answer is made, in its order: started, memories, deltas and citations, opinions, done."""

from dataclasses import dataclass
from typing import Union

from reflection.opinions.types import FormedOpinion
from reflection.reflect.types import Engine, Labelled, ReflectResult


@dataclass(frozen=True)
class Started:
    engine: Engine
    model: str


@dataclass(frozen=True)
class Retrieved:
    """What was found: once before the answer, and again for each further round that brought something new."""

    memories: tuple[Labelled, ...]


@dataclass(frozen=True)
class Delta:
    text: str


@dataclass(frozen=True)
class Pause(Delta):
    """Nothing to show: the model writes notes, or opinions are about to be formed. Who listens may stop here."""

    text: str = ""


@dataclass(frozen=True)
class Cited:
    """The first time that the text names a memory."""

    memory: Labelled


@dataclass(frozen=True)
class Formed:
    opinions: tuple[FormedOpinion, ...]


@dataclass(frozen=True)
class Done:
    result: ReflectResult


Said = Delta | Cited
Step = Said | Retrieved
Event = Union[Started, Retrieved, Delta, Cited, Formed, Done]  # noqa: UP007  # one name for mypy and for people
