"""How long the texts of a file may be, where their columns have no length: as long as the API takes them, or as long as
the service itself writes them.

The text of a message or a document has no end of its own: what is retained is as long as a request may be, and a
document that is added to grows beyond that.
"""

from collections.abc import Mapping
from typing import Any

from memoryplatform.operations.transfer.values import Unfit
from providers.tokens import LONGEST_TOKEN
from reflection.models.mental_model import MOST_TOKENS
from reflection.opinions.forming.cleaning import LONGEST_REASONING

MEMORY = 100_000  # characters of a fact, given or edited; what is told of it and of its subject is shorter
CONTEXT = 2_000
BACKGROUND = 100_000  # 20,000 are set or told at once, and merging makes more of them
NEWS = 20_000  # of a background
REASONING = 2 * LONGEST_REASONING  # a sentence of ours may follow an engine's
RULE = 10_000
QUESTION = 10_000
ANSWER = MOST_TOKENS * LONGEST_TOKEN

LONGEST: Mapping[tuple[str, str], int | None] = {
    ("bank", "background"): BACKGROUND,
    ("document", "text"): None,
    ("document", "context"): CONTEXT,
    ("episode", "narrative"): MEMORY,
    ("message", "content"): None,
    ("chunk", "context"): CONTEXT,
    ("chunk", "text"): MEMORY,
    ("entity", "summary"): MEMORY,
    ("unit", "text"): MEMORY,
    ("unit", "context"): CONTEXT,
    ("relationship", "text"): MEMORY,
    ("opinion_revision", "text_before"): MEMORY,
    ("opinion_revision", "text_after"): MEMORY,
    ("opinion_revision", "reasoning"): REASONING,
    ("background_revision", "before"): BACKGROUND,
    ("background_revision", "after"): BACKGROUND,
    ("background_revision", "snippet"): NEWS,
    ("directive", "content"): RULE,
    ("mental_model", "source_query"): QUESTION,
    ("mental_model", "content"): ANSWER,
    ("mental_model_revision", "source_query"): QUESTION,
    ("mental_model_revision", "content"): ANSWER,
}


def check_length(kind: str, name: str, value: Any) -> None:
    """`kind` is the type of the line, `name` that of the field."""
    longest = LONGEST.get((kind, name))
    if longest is not None and isinstance(value, str) and len(value) > longest:
        raise Unfit(f"must have at most {longest} characters")
