from functools import cache
from typing import cast

import pytest

from banks.entities.resolution.scoring import DEFAULT_THRESHOLDS
from benchmarks.entity_resolution import build_pairs, score_entity_resolution


@cache
def _report() -> dict[str, object]:
    return score_entity_resolution(None)


@pytest.mark.parametrize("setting", ["alone", "in_bank"])
def test_names_that_were_not_used_for_tuning_are_resolved(setting: str) -> None:
    figures = cast("dict[str, float]", _report()[setting])
    assert figures["precision"] >= 0.97
    assert figures["recall"] >= 0.96


def test_the_shipped_threshold_is_one_that_the_training_half_supports() -> None:
    low, high = cast("tuple[float, float]", _report()["same_threshold_of_training"])
    assert low <= DEFAULT_THRESHOLDS.same <= high


def test_no_name_is_in_both_halves() -> None:
    pairs = build_pairs(None)
    training = {pair.other.text for pair in pairs if pair.is_training}
    held_out = {pair.other.text for pair in pairs if not pair.is_training}
    assert training
    assert held_out
    assert not training & held_out
