"""The results of a query, and their form in a prompt."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memoryplatform_client.models.recall import RecallItem
from memoryplatform_client.options.recall import Include

FOR_PROMPTS: Include = {"details": {}}  # `to_prompt` tells the whole time in which a memory was true
HEADINGS = {
    "world": "What is known",
    "experience": "What the agent did and saw",
    "observation": "In summary",
    "opinion": "What the agent believes",
    None: "From the conversations and documents",
}


@dataclass(frozen=True)
class Context:
    """`at_time`: the moment whose state the results show, if the caller asked for one."""

    query: str
    items: tuple[RecallItem, ...]
    at_time: datetime | None = None

    def to_prompt(self) -> str:
        """Facts, opinions and raw text under separate headings, best first. Empty if nothing was found."""
        sections = [
            f"{heading}:\n{lines}"
            for network, heading in HEADINGS.items()
            if (lines := "\n".join(describe(item) for item in self.items if item.type == network))
        ]
        return "\n\n".join(sections)


def describe(item: RecallItem) -> str:
    """On one line, so that the text of a memory can't imitate a heading."""
    text = " ".join(item.text.split())
    notes = "; ".join(tell_notes(item))
    return f"- {text} ({notes})" if notes else f"- {text}"


def tell_notes(item: RecallItem) -> Iterable[str]:
    if item.confidence is not None:
        yield f"confidence {item.confidence:.2f}"
    if item.valid_until is not None:
        since = f"{item.valid_from:%Y-%m-%d}" if item.valid_from else ""
        yield f"{since} to {item.valid_until:%Y-%m-%d}".strip()
    elif item.occurred_start is not None:
        yield f"{item.occurred_start:%Y-%m-%d}"
    else:
        yield f"said {item.mentioned_at:%Y-%m-%d}"
