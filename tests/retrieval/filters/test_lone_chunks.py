"""A chunk without a unit is a result only if it can satisfy all filters."""

from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from banks.enums import Network
from retrieval.filters.scope import build_scope, can_stand_alone
from retrieval.filters.types import Filters, Metadata, Tags, TimeRange
from retrieval.types import PointInTime

SINCE = TimeRange(start=datetime(2026, 1, 1, tzinfo=UTC))
SAMPLES: dict[str, Any] = {
    "networks": (Network.WORLD,),
    "tags": Tags(("a",)),
    "metadata": {"key": "value"},
    "entities": ("Alice",),
    "occurred": SINCE,
    "mentioned": SINCE,
    "document_ids": ("d/1",),
    "where": Metadata("key", "exists"),
}
MET_BY_CHUNKS = {"mentioned", "document_ids"}
NO_FILTERS = Filters()


def test_every_filter_is_tried_here() -> None:
    assert set(SAMPLES) == {field.name for field in fields(Filters)}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_filter_that_a_chunk_cannot_meet_forbids_it(name: str) -> None:
    assert can_stand_alone(replace(NO_FILTERS, **{name: SAMPLES[name]})) == (name in MET_BY_CHUNKS)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_filter_reaches_the_rows_that_it_is_for(name: str) -> None:
    plain, moment = build_scope(NO_FILTERS, PointInTime()), PointInTime()
    scope = build_scope(replace(NO_FILTERS, **{name: SAMPLES[name]}), moment)
    assert scope.unit != plain.unit
    assert (scope.chunk != plain.chunk) == (name in MET_BY_CHUNKS)


def test_an_unlisted_filter_forbids_lone_chunks() -> None:
    @dataclass(frozen=True)
    class Wider(Filters):
        language: str = ""

    assert not can_stand_alone(Wider(language="de"))
