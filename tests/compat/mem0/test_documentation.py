"""docs/mem0.md: its example runs, and its tables are right."""

import re
from pathlib import Path

import pytest

from memoryplatform.api.compat.mem0.owners import KINDS, Owner
from memoryplatform.api.compat.mem0.urls import NOT_SERVED
from tenants.models import Tenant
from tests.factories import make_key_with_text

PAGE = (Path(__file__).resolve().parents[3] / "docs/mem0.md").read_text()


def test_the_example_runs(base_url: str, alice: Tenant, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {"BASE_URL": base_url, "API_KEY": make_key_with_text(alice)[1]}
    exec(compile(example, "docs/mem0.md", "exec"), names)  # noqa: S102  # our own page
    names["client"].client.close()  # type: ignore[attr-defined]  # the example made it
    said = capsys.readouterr().out.splitlines()
    assert said == ["I moved to Lisbon in May.", "['ADD', 'UPDATE']", "0"]


def test_unserved_routes_are_listed() -> None:
    listed = PAGE.partition("## Routes that answer 501")[2]
    assert all(f"`/{name}/`" in listed for name in NOT_SERVED)


def test_the_banks_are_named_as_the_page_says() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\S+)` \| `(\S+)` \|$", PAGE, re.MULTILINE)
    assert [name for name, _, _ in rows] == list(KINDS)
    for name, bank_id, tag in rows:
        owner = Owner(KINDS[name], tag.partition(":")[2])
        assert (owner.bank_id, owner.tag) == (bank_id, tag)
