"""Usage, its rows as CSV, and the plan."""

import json

import pytest

from memoryplatform_client import MemoryClient
from tests.cli.conftest import Cli
from tests.sdk.conftest import write_what_waits


@pytest.fixture(autouse=True)
def used(client: MemoryClient) -> None:
    client.retain("support", facts=[{"text": "Alice lives in Lisbon."}])
    client.recall("support", "Where does Alice live?")
    write_what_waits()


def test_rows_are_grouped(cli: Cli) -> None:
    done = cli("usage", "--by", "kind")
    assert {row[0] for row in done.rows} >= {"retain", "recall"}
    assert ": requests " in done.err
    both = cli("usage", "--by", "bank", "--by", "kind", "--days", "2")
    assert ["support", "recall"] in [row[:2] for row in both.rows]
    assert json.loads(cli("usage", "--json").out)["total"]["memories"] == 1


def test_csv_has_a_heading(cli: Cli) -> None:
    lines = cli("usage", "--by", "kind", "--csv").out.splitlines()
    assert lines[0].startswith("kind,")
    assert any(line.startswith("recall,") for line in lines)


def test_a_span_is_given_once(cli: Cli) -> None:
    assert cli("usage", "--since", "2001-01-01", "--until", "2001-01-31").out == ""
    assert cli("usage", "--since", "2001-01-01", "--days", "3").code == 2
    assert cli("usage", "--csv", "--json").code == 2
    assert cli("usage", "--since", "may").code == 2


def test_the_plan_shows_its_quotas(cli: Cli) -> None:
    done = cli("usage", "--plan")
    assert (done.code, done.err.startswith("Plan: ")) == (0, True)
    assert [row[0] for row in done.rows] == [
        one["quota"] for one in json.loads(cli("usage", "--plan", "--json").out)["quotas"]
    ]
