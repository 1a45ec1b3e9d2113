"""Tag filters for rows with a `tags` array: directives and mental models."""

from collections.abc import Sequence
from typing import Literal

from django.db.models import Q

ScopeMatch = Literal["any", "all", "exact"]


def build_tags_filter(tags: Sequence[str], match: ScopeMatch) -> Q:
    """Rows whose tags match, and rows without tags, unless the match is `exact`."""
    every = Q(tags__contains=list(tags))
    if match == "exact":
        return every & Q(tags__contained_by=list(tags))
    if match == "all":
        return Q(tags=[]) | every
    fitting = Q(tags=[])
    for tag in tags:
        fitting |= Q(tags__contains=[tag])
    return fitting
