import pytest

from banks.entities.names.canonical import choose_canonical, merge_aliases


@pytest.mark.parametrize(
    ("names", "canonical"),
    [
        (["Mel", "Mel", "Melanie Jones"], "Melanie Jones"),
        (["J. Smith", "John Smith"], "John Smith"),
        (["NYC", "NYC", "New York City"], "New York City"),
        (["alice", "Alice", "Alice"], "Alice"),
        (["ALICE", "Alice"], "Alice"),
        (["Bob", "Bob", "Rob"], "Bob"),
        (["Acme", "the firm that Acme Holdings bought last year"], "Acme"),
    ],
)
def test_the_most_complete_then_the_most_frequent_name_is_canonical(names: list[str], canonical: str) -> None:
    assert choose_canonical(names) == canonical
    assert choose_canonical(names[::-1]) == canonical


def test_an_entity_without_names_is_refused() -> None:
    with pytest.raises(ValueError, match="name"):
        choose_canonical([])


def test_aliases_keep_one_writing_of_each_other_name() -> None:
    assert merge_aliases("Melanie Jones", ("Mel", "melanie jones"), ("MEL", "Mellie")) == ("Mel", "Mellie")
