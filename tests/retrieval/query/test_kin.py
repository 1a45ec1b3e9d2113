import pytest

from retrieval.query.kin import Kin, find_kin


@pytest.mark.parametrize(
    ("query", "phrase", "owner", "relations"),
    [
        ("Where does Nadia's husband work?", "Nadia's husband", "nadia", ("husband", "married_to")),
        ("where is nadia\u2019s new boyfriend", "nadia\u2019s new boyfriend", "nadia", ("boyfriend", "dating")),
        ("What is the name of James' wife?", "James' wife", "james", ("wife", "married_to")),
        ("Who is the sister of Tom Miller?", "the sister of Tom Miller", "tom miller", ("sister",)),
        ("Does Nadia Haddad's dog bark?", "Nadia Haddad's dog", "nadia haddad", ("dog",)),
    ],
)
def test_who_is_named_by_whose_he_is(query: str, phrase: str, owner: str, relations: tuple[str, ...]) -> None:
    kin = find_kin(query)
    assert kin is not None
    assert (kin.phrase, owner in kin.owners, kin.relations) == (phrase, True, relations)


@pytest.mark.parametrize("query", ["Where does my sister live?", "Who is a husband?", "Nadia's car", ""])
def test_nobody_else_is(query: str) -> None:
    assert find_kin(query) is None


def test_the_name_may_be_all_of_the_words_or_those_next_to_the_noun() -> None:
    owners = ("haddad", "nadia haddad", "does nadia haddad")
    assert find_kin("does Nadia Haddad's boss know?") == Kin("Nadia Haddad's boss", owners, ("boss",))
