"""Somebody whom the query calls by an alias that no memory of him has, or by whose he is."""

import pytest

from retrieval.other_names import OtherNames, find_other_names, write_names_out
from retrieval.query.kin import find_kin
from retrieval.ranking.whose_words import Wanted, find_whose_words
from retrieval.recall import RecallTools, recall
from retrieval.types import NamedEntity, RecallQuery
from tests.retrieval.memory import NOW, Memory
from tests.retrieval.ranking.factories import make_candidate, make_id


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
    sparrow = OtherNames(aliased=("Robert Chen",))
    assert write_names_out("Where does Sparrow live?", sparrow) == "Where does Sparrow live? (Robert Chen)"
    assert write_names_out("Where does Ann live?", OtherNames()) == "Where does Ann live?"


def test_one_who_is_named_by_whose_he_is_stands_for_those_words() -> None:
    query = "Where does Nadia's husband live?"
    one, two = OtherNames(kin=("Omar",)), OtherNames(kin=("Omar", "Bo"))
    assert write_names_out(query, one, find_kin(query)) == "Where does Omar live?"
    assert write_names_out(query, two, find_kin(query)) == f"{query} (Omar) (Bo)"


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


@pytest.mark.parametrize(
    ("relation", "is_subject", "query"),
    [
        ("married_to", True, "lives Nadia's husband in Oslo?"),
        ("married_to", False, "lives Nadia's husband in Oslo?"),
        ("sister", True, "lives the sister of Nadia in Oslo?"),
    ],
)
def test_who_is_named_by_whose_he_is_stands_before_others(
    memory: Memory, tools: RecallTools, relation: str, *, is_subject: bool, query: str
) -> None:
    nadia, omar, oslo = (memory.entity(name) for name in ("Nadia", "Omar Haddad", "Oslo"))
    married = memory.unit("Nadia and Omar Haddad belong together", about=[nadia, omar])
    subject, other = (nadia, omar) if is_subject else (omar, nadia)
    memory.relationship("They belong together", married, subject=subject, relation=relation, object=other)
    memory.unit("Ann Lee lives in Oslo", about=[oslo])
    his = memory.unit("Omar Haddad lives in Oslo", about=[omar, oslo])
    memory.unit("Cy Day lives in Oslo", about=[oslo])
    result = recall(memory.bank, RecallQuery(query, NOW), tools)
    assert result.items[0].candidate.id == his.id
    assert omar.id not in result.analysis.entity_ids


def test_whose_sister_was_told_of_is_not_hers_in_turn(memory: Memory, tools: RecallTools) -> None:
    nadia, omar = memory.entity("Nadia"), memory.entity("Omar Haddad")
    told = memory.unit("Omar Haddad has a sister", about=[nadia, omar])
    memory.relationship("Nadia is his sister", told, subject=omar, relation="sister", object=nadia)
    memory.unit("Omar Haddad lives in Oslo", about=[omar])
    result = recall(memory.bank, RecallQuery("lives Nadia's sister in Oslo?", NOW), tools)
    assert {item.scores.speaker for item in result.items} == {1.0}
