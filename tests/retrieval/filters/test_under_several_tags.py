"""A unit derived from memories without a common tag is visible only to queries without tags."""

import pytest

from banks.models import Bank
from retrieval.filters.types import AllOf, AnyOf, Filters, Not, TagCondition, Tags
from retrieval.types import PointInTime
from tests.retrieval.filters.naive import Said
from tests.retrieval.filters.test_against_naive import DAYS, Bench, find_passing
from tests.retrieval.memory import undone

FORMED, OBSERVED = "formed:under-several-tags", "observed:under-several-tags"
SAID = [(), ("ann",), ("bob",), (FORMED,), (OBSERVED,), ("ann", FORMED)]
NOT_BOB = Not(Tags(("bob",), "any_strict"))


def find(bank: Bank, condition: TagCondition | None) -> set[tuple[str, ...]]:
    with undone(bank):
        written = Bench(bank).write([Said("observation", DAYS[0], DAYS[0], tags=frozenset(tags)) for tags in SAID])
        passing = find_passing(bank, Filters(tags=condition), PointInTime())
        return {tags for row_id, tags in zip(written, SAID, strict=True) if row_id in passing}


@pytest.mark.parametrize(
    ("condition", "passing"),
    [
        (None, set(SAID)),
        (NOT_BOB, {(), ("ann",)}),
        (AllOf((NOT_BOB,) * 6), {(), ("ann",)}),
        (AnyOf((Tags(("ann",), "any_strict"), NOT_BOB)), {(), ("ann",)}),
        (AllOf(()), {(), ("ann",), ("bob",)}),
        (Tags((), "all_strict"), {("ann",), ("bob",)}),
        (Tags(("ann",), "any_strict"), {("ann",)}),
        (Tags((FORMED,), "any_strict"), {(FORMED,), ("ann", FORMED)}),
        (AllOf((NOT_BOB, Not(Tags((OBSERVED,), "any_strict")))), {(), ("ann",)}),
    ],
)
def test_it_passes_no_condition_that_does_not_name_it(
    bank: Bank, condition: TagCondition | None, passing: set[tuple[str, ...]]
) -> None:
    assert find(bank, condition) == passing
