"""docs/compatibility.md: its example runs, and its list of routes is right."""

import re
from pathlib import Path

import pytest

from memoryplatform.api.compat.hindsight.urls import NOT_SERVED
from tenants.models import Tenant
from tests.compat.hindsight.conftest import Loop
from tests.factories import make_key_with_text

PAGE = (Path(__file__).resolve().parents[3] / "docs/compatibility.md").read_text()


def test_the_example_runs(base_url: str, loop: Loop, alice: Tenant, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {"BASE_URL": base_url, "API_KEY": make_key_with_text(alice)[1]}
    exec(compile(example, "docs/compatibility.md", "exec"), names)  # noqa: S102  # our own page
    loop.run_until_complete(names["client"].aclose())  # type: ignore[attr-defined]  # the example made it
    said = capsys.readouterr().out.splitlines()
    assert "Lisbon" in said[0]
    assert any("Lisbon" in line for line in said[1:])


def test_unserved_routes_are_listed() -> None:
    listed = re.findall(r"`([a-z-]+)`", PAGE.partition("### Routes that answer 501")[2])
    assert listed == sorted(NOT_SERVED)
