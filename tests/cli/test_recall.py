"""The output of recall and reflect, as text and as JSON."""

import json

import pytest

from memoryplatform_client import MemoryClient
from tests.cli.conftest import Cli


@pytest.fixture(autouse=True)
def known(client: MemoryClient) -> None:
    client.retain("support", facts=[{"text": "Alice lives in Lisbon."}, {"text": "Bob sails to Rome."}])


def test_json_is_the_complete_response(cli: Cli) -> None:
    answer = json.loads(cli("recall", "support", "Where does Alice live?", "--json").out)
    assert answer["results"][0]["text"] == "Alice lives in Lisbon."
    assert answer["trace"] is None


def test_a_trace_shows_the_rank_in_each_channel(cli: Cli) -> None:
    asked = ("recall", "support", "Where does Alice live?", "--trace")
    channels = [one["method_name"] for one in json.loads(cli(*asked, "--json").out)["trace"]["retrieval_results"]]
    done = cli(*asked)
    row = done.rows[0]
    assert len(row) == len(channels) + 6
    assert row[1 + channels.index("keyword")] == "1"
    assert " ms  " in done.err


def test_a_channel_has_a_column_where_it_was_asked(cli: Cli) -> None:
    plain, timed = (cli("recall", "support", f"Alice{when}", "--trace").rows[0] for when in ("", " today"))
    assert (len(plain), len(timed)) == (6 + 6, 5 + 6)  # a temporal query: the window instead of graph and summaries


def test_options_go_along(cli: Cli) -> None:
    assert cli("recall", "support", "Alice", "--type", "opinion").out == ""
    assert cli("recall", "support", "Alice", "--as-of", "2000-01-01T00:00").code == 0
    assert len(cli("recall", "support", "Alice or Bob", "--max-tokens", "7").rows) == 1
    assert len(cli("recall", "support", "Alice or Bob", "--fill", "--max-results", "1").rows) == 1


def test_too_many_results_are_refused_by_their_name(cli: Cli) -> None:
    assert cli("recall", "support", "Alice", "--max-results", "0").code == 2
    refused = cli("recall", "support", "Alice", "--max-results", "1001")
    assert refused.code != 0
    assert "max_results" in refused.err


def test_json_has_the_fields_of_the_service(cli: Cli) -> None:
    brief, full = (
        json.loads(cli("recall", "support", "Where does Alice live?", "--json", *more).out)["results"][0]
        for more in ((), ("--all-fields",))
    )
    assert "document_id" not in brief
    assert {"document_id", "scores", "sources"} <= set(full)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), {"Carla", "Dana"}),
        (("--tags-match", "any"), {"Alice", "Bob", "Carla", "Dana"}),
        (("--tag", "sea", "--tags-match", "all_strict"), {"Dana"}),
    ],
)
def test_a_tag_finds_only_memories_with_that_tag(
    cli: Cli, client: MemoryClient, words: tuple[str, ...], found: set[str]
) -> None:
    client.retain("support", facts=[{"text": "Carla paints."}], tags=["people"])
    client.retain("support", facts=[{"text": "Dana rows."}], tags=["people", "sea"])
    told = cli("recall", "support", "Alice, Bob, Carla, Dana", "--type", "world", "--tag", "people", "--fill", *words)
    assert {row[-1].split()[0] for row in told.rows} == found


def test_tags_match_needs_a_tag(cli: Cli) -> None:
    assert cli("recall", "support", "Alice", "--tags-match", "any").code == 2
    assert len(cli("recall", "support", "Alice or Bob", "--tags-match", "exact", "--fill").rows) == 2


def test_an_answer_keeps_to_the_tag(cli: Cli) -> None:
    assert "Lisbon" not in cli("reflect", "support", "Where does Alice live?", "--tag", "people").out


def test_a_terminal_gets_a_table_with_colours(cli: Cli, on_terminal: None) -> None:
    done = cli("recall", "support", "Where does Alice live?")
    assert "relevance" in done.out.splitlines()[0]
    assert "\x1b[1m" in done.out
    assert "\t" not in done.out


def test_no_color_is_honoured(cli: Cli, on_terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[31m" in cli("recall", "nowhere", "Alice").err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in cli("recall", "nowhere", "Alice").err


def test_a_memory_can_neither_colour_nor_steer_the_terminal(cli: Cli, client: MemoryClient, on_terminal: None) -> None:
    client.retain("other", facts=[{"text": "Mallory \x1b]0;owned\x07 wrote \x9b31m [red]this[/red] \u202ebackwards."}])
    shown = cli("recall", "other", "What did Mallory write?").out
    assert "[red]this[/red]" in shown
    assert not {"\x07", "\x9b", "\u202e"}.intersection(shown)
    assert "\x1b]" not in shown


def test_an_answer_comes_alone_on_standard_output_and_its_sources_beside_it(cli: Cli) -> None:
    done = cli("reflect", "support", "Where does Alice live?", "--no-opinions")
    assert "Lisbon" in done.out
    assert "[1] Alice lives in Lisbon." in done.err
    assert "[1] Alice lives in Lisbon." not in done.out


def test_an_answer_as_json_is_the_last_event(cli: Cli) -> None:
    answer = json.loads(cli("reflect", "support", "Where does Alice live?", "--json").out)
    assert answer["engine"] == "builtin"
    assert answer["citations"]
