from dataclasses import dataclass
from typing import Protocol

from providers.usage import Usage


@dataclass(frozen=True)
class Snippet:
    """News of who the agent is: `text` is in the first person already, `name` is the agent's."""

    text: str
    name: str


@dataclass(frozen=True)
class MergedBackground:
    """`refused` says why the text is as it was, where the news could not be taken."""

    text: str
    usage: Usage
    refused: str = ""


class Merger(Protocol):
    """Puts news into a background: they win where the two conflict, details add up, the result stays concise."""

    @property
    def name(self) -> str:
        """Stands in the history."""
        ...

    def merge(self, background: str, snippet: Snippet) -> MergedBackground:
        """Call outside of transactions: a model may take its time."""
        ...
