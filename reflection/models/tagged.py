"""Rows that carry their tags with them: a bank has few of them, and they are read together."""

from collections.abc import Sequence
from typing import Literal

from django.db.models import Q

ScopeMatch = Literal["any", "all", "exact"]


def build_tags_filter(tags: Sequence[str], match: ScopeMatch) -> Q:
    """Of the rows with tags those that fit; a row without any holds everywhere, but for `exact`."""
    every = Q(tags__contains=list(tags))
    if match == "exact":
        return every & Q(tags__contained_by=list(tags))
    if match == "all":
        return Q(tags=[]) | every
    fitting = Q(tags=[])
    for tag in tags:
        fitting |= Q(tags__contains=[tag])
    return fitting
