"""Somebody whom the query calls by an alias that no memory of him has."""

import pytest

from retrieval.other_names import find_other_names, write_names_out
from retrieval.recall import RecallTools, recall
from retrieval.types import NamedEntity, RecallQuery
from retrieval.whose_words import Wanted, find_whose_words
from tests.retrieval.memory import NOW, Memory
from tests.retrieval.ranking_factories import make_candidate, make_id


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
def test_who_is_called_otherwise(said: tuple[str, ...], entities: tuple[str, ...], others: tuple[str, ...]) -> None:
    assert find_other_names(said, name_all(*entities)) == others


def test_the_reranker_is_told_who_that_is() -> None:
    assert write_names_out("Where does Sparrow live?", ["Robert Chen"]) == "Where does Sparrow live? (Robert Chen)"
    assert write_names_out("Where does Ann live?", []) == "Where does Ann live?"


def test_what_tells_of_him_counts_whoever_said_it() -> None:
    wanted = find_whose_words("Where does Sparrow live?", ["sparrow"], [], ["Robert Chen"])
    assert wanted == Wanted(about=frozenset({"Robert Chen"}))
    assert wanted.covers(make_candidate(entities=("Oslo", "Robert Chen")))
    assert not wanted.covers(make_candidate(entities=("Oslo",)))


def test_he_stands_before_others_of_whom_the_same_is_told(memory: Memory, tools: RecallTools) -> None:
    robert, oslo = memory.entity("Robert Chen"), memory.entity("Oslo")
    memory.name(robert, "Sparrow")
    memory.unit("Ann Lee lives in Oslo", about=[oslo])
    his = memory.unit("Robert Chen lives in Oslo", about=[robert, oslo])
    memory.unit("Cy Day lives in Oslo", about=[oslo])
    result = recall(memory.bank, RecallQuery("lives Sparrow in Oslo?", NOW), tools)
    assert (result.items[0].candidate.id, robert.id in result.analysis.entity_ids) == (his.id, True)
