"""The command `benchmark`."""

import json
from pathlib import Path

from memoryplatform_client import MemoryClient
from memoryplatform_client.cli.commands.benchmark import percentile, summarise
from tests.cli.conftest import Cli


def test_recalls_are_timed_with_words_of_the_bank(cli: Cli, client: MemoryClient) -> None:
    client.retain("support", facts=[{"text": "Alice lives in Lisbon."}])
    done = json.loads(cli("benchmark", "support", "-n", "5", "--clients", "2", "--json").out)
    assert (done["recalls"], done["errors"], done["clients"]) == (5, 0, 2)
    assert 0 < done["p50"] <= done["p95"] <= done["longest"]


def test_queries_come_from_a_file(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    client.banks.create("support")
    (tmp_path / "queries").write_text("Where?\n\nWho?\n")
    assert cli("benchmark", "support", "-n", "2", "--queries", tmp_path / "queries").code == 0


def test_an_empty_bank_has_nothing_to_ask(cli: Cli, client: MemoryClient) -> None:
    client.banks.create("support")
    assert cli("benchmark", "support").code == 2


def test_percentiles_are_nearest_ranks_and_failures_are_counted() -> None:
    assert [percentile(range(1, 101), share) for share in (50, 95, 100)] == [50, 95, 100]
    assert percentile([7.0], 50) == 7.0
    timing = summarise([None, 3.0, None], seconds=1.0, clients=1)
    assert (timing.recalls, timing.errors, timing.p95) == (3, 2, 3.0)
    assert summarise([None], seconds=1.0, clients=1).p50 is None
