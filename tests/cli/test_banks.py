"""Creating, showing, inspecting and deleting banks."""

import json
from datetime import UTC, datetime

import pytest

from memoryplatform_client import BankNotFound, MemoryClient
from memoryplatform_client.cli.commands.opinions import show_detail
from memoryplatform_client.cli.output import Output
from memoryplatform_client.cli.sparkline import draw
from memoryplatform_client.models.opinions import Evidence
from tests.cli.conftest import Cli


def test_a_bank_is_made_listed_and_shown(cli: Cli) -> None:
    assert cli("banks", "create", "nora", "--name", "Nora", "--empathy", "5", "--bias-strength", "0.2").code == 0
    assert [row[:2] for row in cli("banks").rows] == [["nora", "Nora"]]
    assert cli("banks", "list", "--search", "zz").out == ""
    shown = dict(row for row in cli("banks", "show", "nora").rows if len(row) == 2)
    assert shown["disposition"].endswith("empathy 5")
    assert json.loads(cli("banks", "show", "nora", "--json").out)["bias_strength"] == 0.2


def test_a_bank_is_made_with_extraction_settings(cli: Cli, client: MemoryClient) -> None:
    wanted = ["--retain-mission", "Animals.", "--entity-type", "MEDICATION: a drug", "--category", "topic:health"]
    assert cli("banks", "create", "vet", *wanted).code == 0
    bank = client.banks.get("vet")
    assert (bank.retain_mission, bank.categories[0].name) == ("Animals.", "topic:health")
    assert (bank.entity_types[0].name, bank.entity_types[0].description) == ("MEDICATION", "a drug")
    shown = dict(row for row in cli("banks", "show", "vet").rows if len(row) == 2)
    assert (shown["mission"], shown["entity types"]) == ("Animals.", "MEDICATION")


def test_a_bank_is_deleted_after_typing_its_name(cli: Cli, client: MemoryClient, worker: None) -> None:
    client.banks.create("nora")
    assert cli("banks", "delete", "nora", stdin="no\n", is_terminal=True).code == 1
    assert client.banks.get("nora").bank_id == "nora"
    assert cli("banks", "delete", "nora", stdin="nora\n", is_terminal=True).code == 0
    with pytest.raises(BankNotFound):
        client.banks.get("nora")


def test_a_script_must_say_yes(cli: Cli, client: MemoryClient, worker: None) -> None:
    client.banks.create("nora")
    refused = cli("banks", "delete", "nora", stdin="nora\n")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert cli("banks", "delete", "nora", "--yes", "--json").code == 0


def test_a_bank_at_a_glance(cli: Cli, client: MemoryClient) -> None:
    client.retain("support", facts=[{"text": "Alice lives in Lisbon.", "entities": ["Alice", "Lisbon"]}])
    client.retain("support", facts=[{"text": "Boats are slow.", "type": "opinion", "confidence": 0.6}])
    client.retain("support", "Bob sails.", wait=False)
    glance = json.loads(cli("inspect", "support", "--json").out)
    assert glance["counts"] | {"world": 1, "opinion": 1, "entities": 2} == glance["counts"]
    assert [one["text"] for one in glance["opinions"]] == ["Boats are slow."]
    assert {("retain", "pending")} <= {(one["kind"], one["status"]) for one in glance["operations"]}
    shown = cli("inspect", "support").out
    assert "Newest memories" in shown
    assert "Under way" in shown
    client.banks.delete("support")
    client.banks.create("support")
    assert json.loads(cli("inspect", "support", "--json").out)["operations"] == []


def make_opinion(client: MemoryClient) -> str:
    fact = {"text": "Boats are slow.", "type": "opinion", "confidence": 0.5}
    opinion = client.retain("support", facts=[fact]).unit_ids[0]  # type: ignore[list-item]  # a plain dict
    client.opinions.review("support", opinion, "edit", confidence=0.95, reason="I was on one.")
    return str(opinion)


def test_opinions_are_listed_with_their_path(cli: Cli, client: MemoryClient) -> None:
    opinion = make_opinion(client)
    assert cli("opinions", "list", "support").rows == [[opinion, "0.95", "▅█", "new", "Boats are slow."]]
    assert cli("opinions", "list", "support", "--min-confidence", "0.99").out == ""


def test_an_opinion_is_shown_with_its_revisions(cli: Cli, client: MemoryClient) -> None:
    opinion = make_opinion(client)
    done = cli("opinions", "show", "support", opinion)
    assert done.out.splitlines()[1] == "0.95  ▅█  new"
    assert "0.50 → 0.95" in done.out
    assert json.loads(cli("opinions", "show", "support", opinion, "--json").out)["trajectory"] == [0.5, 0.95]


def test_evidence_has_the_date_of_its_mention(client: MemoryClient, capsys: pytest.CaptureFixture[str]) -> None:
    opinion = client.opinions.get("support", make_opinion(client))
    told, stored = datetime(2021, 3, 4, tzinfo=UTC), datetime(2025, 5, 1, tzinfo=UTC)
    fact = Evidence(memory_id=opinion.id, text="It sank.", type="world", mentioned_at=told, bearing="weaken", at=stored)
    show_detail(Output(as_json=False), opinion.model_copy(update={"evidence": [fact]}), [])
    assert capsys.readouterr().out.splitlines()[-1] == "weaken\t2021-03-04\tIt sank."


def test_a_sparkline_has_one_scale() -> None:
    assert draw([0.0, 0.5, 1.0]) == "▁▅█"
    assert len(draw([0.5] * 100)) == 40
