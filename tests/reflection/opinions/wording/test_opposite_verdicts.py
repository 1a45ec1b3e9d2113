"""Which two judgements of one matter can't both be held, and which are of its different sides."""

import pytest

from reflection.opinions.wording.polarity import BAD, GOOD
from reflection.opinions.wording.scales import OPPOSITES
from reflection.opinions.wording.sense import turn_each_other_round


def are_opposite(one: str, other: str) -> bool:
    ways = {turn_each_other_round(one, other), turn_each_other_round(other, one)}
    assert len(ways) == 1
    return ways.pop()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I love Python.", "I hate Python."),
        ("I love Python.", "I dislike Python."),
        ("I like Python.", "I don't like Python."),
        ("I like Python.", "I do not really like Python."),
        ("I really like Python.", "I hate Python."),
        ("I love Python a lot.", "I no longer like Python."),
        ("I love python.", "I hate Python."),
        ("I think Python is great.", "I hate Python."),
        ("I think Python is great.", "I don\u2019t like Python."),
        ("I think Python is great.", "I think Python is terrible."),
        ("Overall, I think Python is a great language.", "I think Python is a terrible language."),
        ("I adore Lisbon.", "I can't stand Lisbon."),
        ("I am a big fan of jazz.", "I'm not a fan of jazz."),
        ("I'm fond of Bob.", "I despise Bob."),
        ("I enjoy working with Ana.", "I hate working with Ana."),
        ("I trust Acme.", "I distrust Acme."),
        ("I think Dana is trustworthy.", "I don't trust Dana."),
        ("I recommend the Faro ferry.", "I don't recommend the Faro ferry."),
        ("I think Max is kind.", "I think Max is cruel."),
        ("I think Rust is fast.", "I think Rust is slow."),
        ("I think Rust is fast.", "I think Rust is not fast."),
        ("I think Rust is easy to learn.", "I think Rust is hard to learn."),
        ("I think jazz is exciting.", "I think jazz is boring."),
        ("I think the soup is delicious.", "I think the soup is disgusting."),
        ("I think remote work is a blessing.", "I think remote work is a curse."),
        ("I love Python because it is readable.", "I hate Python."),
        ("I think the tram is reliable because it is new.", "I think the tram is unreliable because its doors jam."),
        ("I think the tram is safe because of its brakes.", "I think the tram is unsafe because of its doors."),
        ("I think the simple tram is reliable.", "I think the simple tram is unreliable."),
        ("I think the plan is marvellous.", "I think the plan is a disaster."),
        ("Ich mag Python.", "Ich mag Python \u00fcberhaupt nicht."),
        ("Ich mag Kaffee.", "Ich mag keinen Kaffee."),
        ("Ich liebe Berlin.", "Ich hasse Berlin."),
        ("Ich finde Berlin toll.", "Ich kann Berlin nicht ausstehen."),
        ("J'adore Python.", "Je n'aime pas Python."),
        ("J'aime le caf\u00e9.", "Je d\u00e9teste le caf\u00e9."),
        ("Me gusta el caf\u00e9.", "No me gusta el caf\u00e9."),
        ("Amo Python.", "Odio Python."),
        ("Mi piace il jazz.", "Non mi piace il jazz."),
        ("Gosto de caf\u00e9.", "N\u00e3o gosto de caf\u00e9."),
        ("Ik hou van jazz.", "Ik hou niet van jazz."),
        ("I love Python.", "Ich hasse Python."),
    ],
)
def test_two_verdicts_of_one_matter_are_opposite(one: str, other: str) -> None:
    assert are_opposite(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I love Python's syntax.", "I hate Python's packaging."),
        ("I love Python.", "I hate Python's packaging."),
        ("I love Python.", "I hate Python 2."),
        ("I love Python for scripts.", "I hate Python for games."),
        ("I love Python because of its syntax.", "I hate Python because of its packaging."),
        ("I love coffee in the morning.", "I hate coffee in the evening."),
        ("I love the smell of coffee.", "I hate the taste of coffee."),
        ("I love Python.", "I hate Java."),
        ("I love it.", "I hate it."),
        ("I like Ana.", "I think Ana hates me."),
        ("I like Ana.", "I think Ana hates Ben."),
        ("I like Python more than Java.", "I hate Python more than Java."),
        ("I would like a coffee.", "I hate coffee."),
        ("I hate Python.", "I think Python is powerful."),
        ("I think Python is great.", "I think Python is slow."),
        ("I think Python is great.", "I think Python is confusing."),
        ("I think Dana is kind.", "I think Dana is incompetent."),
        ("I think the fast tram is reliable.", "I think the slow tram is unreliable."),
        ("I think Rust 1.70 is fast.", "I think Rust 1.80 is slow."),
        ("I think the ferry is cheap on Monday.", "I think the ferry is expensive on Sunday."),
        ("I used to like Python.", "I hate Python."),
        ("Ich mag Kaffee.", "Ich mag Kaffee nicht immer."),
        ("Ich mag Pythons Syntax.", "Ich hasse Pythons Pakete."),
        ("Me gusta el caf\u00e9.", "No me gusta el t\u00e9."),
        ("J'aime Python.", "Je n'aime pas que Python."),
    ],
)
def test_verdicts_of_different_sides_of_it_can_both_be_held(one: str, other: str) -> None:
    assert not are_opposite(one, other)


def test_a_word_judges_the_same_way_wherever_it_is_read() -> None:
    assert not OPPOSITES.good & OPPOSITES.bad
    assert (OPPOSITES.good & BAD, OPPOSITES.bad & GOOD) == (frozenset(), frozenset())
