from dataclasses import dataclass
from typing import Protocol

from providers.usage import Usage


@dataclass(frozen=True)
class News:
    """What is told of who the agent is, in the first person already, the newest last; `name` is the agent's."""

    texts: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class MergedBackground:
    """`refused` says why news could not be taken: the text is as if it had not come.

    `engine` is who merged, where it was not the one who was asked.
    """

    text: str
    usage: Usage
    refused: str = ""
    engine: str = ""


class Merger(Protocol):
    """Puts news into a background: they win where the two conflict, details add up, the result stays concise."""

    @property
    def name(self) -> str:
        """Stands in the history."""
        ...

    def merge(self, background: str, news: News) -> MergedBackground:
        """Call outside of transactions: a model may take its time."""
        ...
