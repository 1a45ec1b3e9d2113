"""Accuracy on sentences with upcoming, past and absent dates."""

import sys
from pathlib import Path

import pytest

from timewords.benchmark import score_statements

SENTENCES = Path(__file__).with_name("statements.json")
LEAST_ACCURACY = 0.95


@pytest.mark.parametrize("half", [None, "dev", "held-out"])
def test_at_least_95_percent_of_the_sentences_are_read_right(half: str | None) -> None:
    report = score_statements(SENTENCES, half=half)
    by_kind = [f"{kind}: {part['accuracy']:.3f} of {part['cases']}\n" for kind, part in report["by_type"].items()]
    sys.stdout.writelines(by_kind)
    assert report["overall"]["accuracy"] >= LEAST_ACCURACY, report["wrong"]
