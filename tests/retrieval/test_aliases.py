"""Queries that name an entity by an alias that no memory contains."""

import pytest

from retrieval.recall import RecallTools, recall
from retrieval.speaker_match import SpeakerMatch, find_aliased, match_speaker, write_aliased
from retrieval.types import NamedEntity, RecallQuery
from tests.retrieval.factories import make_candidate, make_id
from tests.retrieval.memory import NOW, Memory


def name_all(*names: str) -> list[NamedEntity]:
    return [NamedEntity(make_id(number), name) for number, name in enumerate(names)]


@pytest.mark.parametrize(
    ("said", "entities", "others"),
    [
        (("sparrow", "live"), ("Robert Chen",), ("Robert Chen",)),
        (("robert", "live"), ("Robert Chen",), ()),
        (("dr chen",), ("Robert Chen",), ()),
        (("sparrow", "live"), (), ()),
        (("the boss",), ("Ann", "Bo"), ("Ann", "Bo")),
        (("the boss",), ("Ann", "Bo", "Cy"), ()),
    ],
)
def test_an_alias_shares_no_word_with_the_name(
    said: tuple[str, ...], entities: tuple[str, ...], others: tuple[str, ...]
) -> None:
    assert find_aliased(said, name_all(*entities)) == others


def test_the_reranker_reads_the_canonical_name() -> None:
    assert write_aliased("Where does Sparrow live?", ["Robert Chen"]) == "Where does Sparrow live? (Robert Chen)"
    assert write_aliased("Where does Ann live?", []) == "Where does Ann live?"


def test_a_unit_that_mentions_the_entity_matches_whoever_said_it() -> None:
    match = match_speaker("Where does Sparrow live?", ["sparrow"], [], ["Robert Chen"])
    assert match == SpeakerMatch(about=frozenset({"Robert Chen"}))
    assert match.covers(make_candidate(entities=("Oslo", "Robert Chen")))
    assert not match.covers(make_candidate(entities=("Oslo",)))


def test_the_entity_with_the_alias_ranks_before_others(memory: Memory, tools: RecallTools) -> None:
    robert, oslo = memory.entity("Robert Chen"), memory.entity("Oslo")
    memory.name(robert, "Sparrow")
    memory.unit("Ann Lee lives in Oslo", about=[oslo])
    his = memory.unit("Robert Chen lives in Oslo", about=[robert, oslo])
    memory.unit("Cy Day lives in Oslo", about=[oslo])
    result = recall(memory.bank, RecallQuery("lives Sparrow in Oslo?", NOW), tools)
    assert (result.items[0].candidate.id, robert.id in result.analysis.entity_ids) == (his.id, True)
