import pytest

from reflection.opinions.polarity import read_judgement


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("The ferry is reliable.", 1),
        ("The ferry is not reliable.", -1),
        ("The ferry isn\u2019t a very reliable one.", -1),
        ("The ferry never fails.", 1),
        ("I don't think that the ferry is reliable.", -1),
        ("I doubt that the ferry is bad.", 1),
        ("The ferry is reliable, but it is ugly.", 0),
        ("It does not rain, and the ferry is reliable.", 1),
        ("The ferry leaves at noon.", 0),
    ],
)
def test_a_sentence_judges_one_way_or_none(text: str, sign: int) -> None:
    assert read_judgement(text).sign == sign
