"""The threat model names a test for each defence. Each of them exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")


def find_missing(text: str) -> list[str]:
    return [f"{file}::{name}" for file, name in NAMED.findall(text) if not has_test(ROOT / file, name)]


def has_test(file: Path, name: str) -> bool:
    pattern = rf"^(?:async )?def {name}\(" if name else r"^(?:async )?def test_"
    return file.is_file() and re.search(pattern, file.read_text(), flags=re.MULTILINE) is not None


def test_every_named_test_exists() -> None:
    text = (ROOT / "docs/security.md").read_text()
    assert len(NAMED.findall(text)) > 50
    assert find_missing(text) == []


def test_every_threat_has_a_defence_and_a_test() -> None:
    rows = [line for line in (ROOT / "docs/security.md").read_text().splitlines() if line.startswith("| ")]
    threats = [row.strip("| ").split(" | ") for row in rows if not row.startswith("| threat")]
    without = [one[0] for one in threats if len(one) != 3 or not NAMED.search(one[2])]
    assert without == ["Common faults in code"]  # ruff, not a test, shows that one


@pytest.mark.parametrize(
    "text", ["`tests/api/test_isolation.py::test_nothing_of_the_kind`", "`tests/api/test_none.py`"]
)
def test_a_missing_one_is_noticed(text: str) -> None:
    assert find_missing(text)
