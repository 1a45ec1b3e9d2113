import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers import tokens
from retrieval.passages import Passage, PassageFinder
from retrieval.plan import Passages
from retrieval.query.language import find_language
from tests.clock import holds_to_a_time

FILLER = "The weather was mild and nothing much happened on that long afternoon by the river. "
ANSWER = "Her grandmother taught her to bake sourdough bread in Lisbon. "
LIMITS = Passages(whole=60, most=60)


def find(query: str, text: str, limits: Passages = LIMITS) -> Passage:
    return PassageFinder(query, limits, find_language(query)).find(text)


def test_a_short_text_is_kept_whole() -> None:
    passage = find("bread", ANSWER)
    assert passage == Passage(ANSWER, 0, len(ANSWER), is_part=False)


@pytest.mark.parametrize("place", [0, 3, 15, 29])
def test_the_sentence_that_the_query_is_about_is_inside(place: int) -> None:
    sentences = [FILLER] * 30
    sentences[place] = ANSWER
    text = "".join(sentences)
    passage = find("Who taught her to bake bread?", text)
    assert ANSWER.strip() in passage.text
    assert passage.is_part
    assert text[passage.start : passage.end] == passage.text


def test_context_on_both_sides_is_included() -> None:
    passage = find("sourdough bread", FILLER * 15 + ANSWER + FILLER * 15)
    before, _, after = passage.text.partition(ANSWER.strip())
    assert before.strip()
    assert after.strip()


def test_it_begins_and_ends_with_a_sentence() -> None:
    passage = find("sourdough bread", FILLER * 15 + ANSWER + FILLER * 15)
    assert passage.text.startswith(("The weather", "Her grandmother"))
    assert passage.text.endswith(("river.", "Lisbon."))


def test_lines_count_as_sentences() -> None:
    lines = [f"- item number {number} of the list" for number in range(80)]
    passage = find("item 41", "\n".join(lines))
    assert "number 41 of" in passage.text
    assert set(passage.text.splitlines()) <= set(lines)


def test_a_rare_word_outweighs_a_common_one() -> None:
    text = (FILLER + "Bread, bread and bread again. ") * 12 + ANSWER + (FILLER + "Bread for all. ") * 12
    assert "Lisbon" in find("bread in Lisbon", text).text


def test_other_forms_of_a_word_are_found() -> None:
    text = FILLER * 15 + "They were celebrating all night. " + FILLER * 15
    assert "celebrating" in find("Which celebration was it?", text).text


def test_a_short_word_is_no_beginning_of_another() -> None:
    text = "The article was long. " * 20 + FILLER * 5 + "She sells art there. " + FILLER * 20
    assert "sells art" in find("art", text).text


THINGS = ("lamp", "chair", "table", "rug", "mirror", "desk", "curtain", "clock", "vase", "pillow", "sofa", "blanket")
ORDERS = "Here are the orders of Tanja:\n" + "\n".join(
    f"{number}. A {thing}, {40 + 7 * number} euros, paid by card and brought to the house"
    for number, thing in enumerate(THINGS, 1)
)
WORK = ("baker", "clerk", "driver", "florist", "gardener", "host", "janitor", "librarian", "nurse", "painter")
JOBS = "I can think of these jobs in a hotel: " + " ".join(
    f"{number}. A {job}, where the hours are yours to choose and you meet people." for number, job in enumerate(WORK, 1)
)
GUESTS = "| Guest | Dish | Allergy |\n|---|---|---|\n" + "\n".join(
    f"| Number {number} | soup of the day | {'peanuts, says Marek' if number == 13 else 'none'} |"
    for number in range(16)
)
LOG = "\n".join(
    f"2026-08-{day:02} 12:00 {'ERROR disk full' if day == 19 else 'INFO request served in time'}"
    for day in range(1, 29)
)
CAKE = (
    "Ingredients of the apple cake:\n- four apples\n- flour\n\nSteps:\n"
    + "1. Stir it slowly and wait a little.\n" * 12
    + "2. Leave it in the oven for 50 minutes.\nLet the cake cool before you serve it."
)
MINUTES = f"Minutes of the board\n\n{FILLER * 4}\nOlga leaves the board and Piet follows her.\n{FILLER * 4}"


@pytest.mark.parametrize(
    ("query", "text", "wanted"),
    [
        ("Tanja's orders: how much was the sofa?", ORDERS, "A sofa, 117 euros"),
        ("Tanja's orders: how much was the lamp?", ORDERS, "A lamp, 47 euros"),
        ("What did Tanja order?", ORDERS, "Here are the orders"),
        ("What was the 9th of the hotel jobs?", JOBS, "nurse"),
        ("What was the ninth of the hotel jobs?", JOBS, "nurse"),
        ("Which allergy does the guest Marek have?", GUESTS, "peanuts"),
        ("Which errors were there in August 2026?", LOG, "ERROR disk full"),
        ("What are the ingredients of the apple cake?", CAKE, "four apples"),
        ("How long is the apple cake in the oven?", CAKE, "50 minutes"),
        ("Who follows Olga on the board?", MINUTES, "Piet"),
    ],
)
def test_words_of_the_heading_do_not_hide_the_matching_row(query: str, text: str, wanted: str) -> None:
    assert wanted in find(query, text, Passages(whole=60, most=80)).text


def test_a_first_line_that_is_no_heading_counts_like_any_other() -> None:
    text = "I left the red umbrella in Lisbon.\n" + FILLER * 10 + "Anna came. " + FILLER * 10
    assert "in Lisbon" in find("Anna, where is the red umbrella?", text).text


def test_a_text_without_the_words_gives_its_beginning() -> None:
    assert find("quantum", FILLER * 30).start == 0


def test_chinese_is_found_without_spaces() -> None:
    filler = "今天天气很好我们去公园散步。"
    text = filler * 30 + "她的祖母在里斯本教她烤面包。" + filler * 30
    assert "里斯本" in find("谁教她烤面包", text).text


def test_capitals_that_change_their_length_do_not_shift_the_passage() -> None:
    text = "İİİ " * 200 + FILLER * 5 + ANSWER + FILLER * 10
    passage = find("sourdough bread", text)
    assert ANSWER.strip() in passage.text
    assert text[passage.start : passage.end] == passage.text


def test_one_endless_sentence_is_cut_between_words() -> None:
    passage = find("needle", "word " * 400 + "needle " + "word " * 400)
    assert "needle" in passage.text
    assert set(passage.text.split()) == {"word", "needle"}


def test_one_endless_word_is_cut_somewhere() -> None:
    passage = find("tea", "x" * 20_000)
    assert passage.text
    assert tokens.count(passage.text) <= LIMITS.most


@given(
    st.lists(
        st.sampled_from([FILLER, ANSWER, "東京。", "\n\n", "a" * 50, "! ", "👩‍👩‍👧 "]) | st.text(max_size=40),
        max_size=60,
    ),
    st.text(max_size=60),
)
def test_any_passage_is_a_part_of_its_text_and_within_the_limit(pieces: list[str], query: str) -> None:
    text = "".join(pieces)
    passage = find(query, text)
    assert text[passage.start : passage.end] == passage.text
    assert tokens.count(passage.text) <= LIMITS.most or len(text.encode()) <= 3 * LIMITS.whole
    assert passage.is_part == (passage.text != text)


@holds_to_a_time
def test_two_thousand_tokens_take_a_moment() -> None:
    """The limit is generous, because a test may run on a busy machine."""
    text = tokens.truncate((FILLER * 5 + ANSWER) * 40, 2_000)
    finder = PassageFinder("Who taught her to bake bread?", Passages())
    best = min(measure(finder, text) for _ in range(20))
    assert best < 0.01


def measure(finder: PassageFinder, text: str) -> float:
    started = time.perf_counter()
    finder.find(text)
    return time.perf_counter() - started
