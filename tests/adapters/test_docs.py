"""The examples of docs/adapters.md, run in order; the comment of a line holds its expected output."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.sdk.conftest import Service
from tests.sdk.test_docs import PRINTED, run

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "adapters.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_examples_print_the_documented_output(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    assert len(BLOCKS) == 4
    for block in BLOCKS:
        run(block.replace("http://127.0.0.1:8000", service.url).replace("mpk_...", service.key), names)
        assert capsys.readouterr().out.splitlines() == PRINTED.findall(block), block
    names["client"].close()
