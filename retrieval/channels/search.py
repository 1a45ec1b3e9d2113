from dataclasses import dataclass

from banks.models import Bank
from retrieval.deadline import Deadline
from retrieval.filters.scope import Scope
from retrieval.limits import Limits
from retrieval.lookups.shared import Lookups
from retrieval.types import Analysis, RecallQuery


@dataclass(frozen=True, eq=False)
class Search:
    """All that a channel needs to find its hits in one bank."""

    bank: Bank
    query: RecallQuery
    analysis: Analysis
    scope: Scope
    limits: Limits
    deadline: Deadline
    lookups: Lookups
