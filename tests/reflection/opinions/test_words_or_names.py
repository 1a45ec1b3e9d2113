import pytest

from reflection.opinions.named_in_bank import list_runs


def names(text: str) -> set[str]:
    return {run for places, run in list_runs(text) if len(places) == 1}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I believe Marco will bill us in May.", "May"),
        ("I believe Marco paid on 3 May.", "May"),
        ("Since last June I trust Marco.", "June"),
        ("Grace under pressure is what I admire in Marco.", "Grace"),
        ("Hope is what keeps Marco going.", "Hope"),
        ("Mark my words: Marco is reliable.", "Mark"),
    ],
)
def test_a_word_that_is_also_a_name_names_nobody(text: str, word: str) -> None:
    assert "Marco" in names(text)
    assert word not in names(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I think May is reliable.", "May"),
        ("Grace works carefully.", "Grace"),
        ("Hope is kind.", "Hope"),
        ("Mark's garden is lovely.", "Mark"),
        ("I trust Grace.", "Grace"),
    ],
)
def test_as_a_name_it_does(text: str, name: str) -> None:
    assert name in names(text)
