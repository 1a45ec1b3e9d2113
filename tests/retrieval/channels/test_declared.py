import re
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.channels import DECLARED
from retrieval.recall import RecallTools, recall
from retrieval.types import Channel, RecallQuery
from tests.retrieval.memory import NOW, Memory

PAGE = Path(__file__).parents[3] / "docs" / "recall.md"


def test_every_channel_is_declared() -> None:
    assert set(DECLARED) == set(Channel)


def test_the_page_documents_every_channel() -> None:
    section = PAGE.read_text().split("## Channels")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == {channel.value for channel in Channel}


@pytest.mark.parametrize("channel", Channel)
def test_a_channel_declares_all_that_it_reads(memory: Memory, tools: RecallTools, channel: Channel) -> None:
    """A query with this channel alone looks up only the declared inputs."""
    answer = memory.unit("Where did Alice move with Lisbon")
    message = memory.message("Where did Alice move? To Lisbon.")
    memory.quote(answer, message)
    memory.chunk(message)
    memory.episode("Alice moved to Lisbon")
    memory.relationship("Alice lives in Lisbon", answer)
    memory.link(memory.unit("Where did Alice move Lisbon"), answer, type="causes", weight=1.0)
    others = {other: 0.0 for other in Channel if other is not channel}
    when = " yesterday" if DECLARED[channel].needs_window else ""
    query = RecallQuery(f"Where did Alice move{when}, Lisbon?", NOW, channel_weights=others)
    result = recall(memory.bank, replace(query, trace=True), tools)
    assert result.left_out == ()
    assert result.trace is not None
    assert [one["method_name"] for one in result.trace["retrieval_results"]] == [channel.value]
    assert [item for item in result.items if item.candidate.id == answer.id]
