"""Tags that only the platform gives: they hide what was made of memories that share no tag."""

from collections.abc import Iterable

from banks.errors import MemoryInvalid
from retrieval.filters.tags import UNDER_SEVERAL


def refuse_marks(tags: Iterable[str]) -> None:
    """Who sets one would hide a memory from all who ask by tags. The file of an export brings them as they were."""
    if mark := next((tag for tag in tags if tag.startswith(UNDER_SEVERAL)), None):
        raise MemoryInvalid(f"The tag '{mark}' is set by the platform alone.")
