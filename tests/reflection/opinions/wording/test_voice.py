"""An opinion is told by the one who holds it, once, and means what it meant."""

import pytest

from reflection.opinions.wording.voice import turn_to_first_person


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Caroline is great.", "I think Caroline is great."),
        ("Caroline and Ben are great.", "I think Caroline and Ben are great."),
        ("Dr. Reis is kind", "I think Dr. Reis is kind"),
        ("The ferry is reliable.", "I think the ferry is reliable."),
        ("It's great.", "I think it's great."),
        ("There is no better ferry.", "I think there is no better ferry."),
        ("We should take the ferry.", "I think we should take the ferry."),
        ("The user would enjoy the ferry.", "I think the user would enjoy the ferry."),
        ("Remote work is a net positive.", "I think remote work is a net positive."),
        ("New York is loud.", "I think New York is loud."),
        ("Trams are quick.", "I think trams are quick."),
        ("Germans are punctual.", "I think Germans are punctual."),
        ("Working from home is good.", "I think working from home is good."),
        ("Documentation is worth it.", "I think documentation is worth it."),
        ('"Dune" is a great film.', 'I think "Dune" is a great film.'),
        ("World War I was terrible.", "I think World War I was terrible."),
        ("I, Robot is a great film.", "I think I, Robot is a great film."),
        ("The book I found is dull.", "I think the book I found is dull."),
        ("If it rains, the ferry is late.", "I think if it rains, the ferry is late."),
        ("Overall, the ferry is good.", "Overall, I think the ferry is good."),
        ("Personally, Caroline is great.", "Personally, I think Caroline is great."),
        ("Caroline is not great.", "I think Caroline is not great."),
        ("Caroline isn\u2019t great.", "I think Caroline isn\u2019t great."),
        ("Nothing is better than the ferry.", "I think nothing is better than the ferry."),
        ("The assistant believes the ferry is safe.", "I believe the ferry is safe."),
    ],
)
def test_a_plain_judgement_gets_its_holder(text: str, told: str) -> None:
    assert turn_to_first_person(text) == told
    assert turn_to_first_person(told) == told


@pytest.mark.parametrize(
    "text",
    [
        "I think Caroline is great.",
        "I believe that Caroline is great.",
        "I don't think that Caroline is great.",
        "I'm sure that Caroline is great.",
        "I\u2019m sure that Caroline is great.",
        "I would not take the ferry.",
        "In my opinion, Caroline is great.",
        "in my humble opinion Caroline is great",
        "To my mind Caroline is great.",
        "If you ask me, Caroline is great.",
        "It seems to me that Caroline is great.",
        "Caroline is great, I think.",
        "Caroline is, I believe, great.",
        "My favourite ferry is the one to Faro.",
        "For me, the ferry is too slow.",
        "We believe that the ferry is safe.",
        "Previously I thought that Caroline is shy, but now I think she is bold.",
        "Ana asked me: Is the ferry good? I love it.",
        "Is Caroline great?",
        "Caroline est g\u00e9niale.",
        "Carolina es muy buena.",
        "Caroline ist sehr nett.",
        "\u041a\u0430\u0442\u044f \u0434\u043e\u0431\u0440\u0430\u044f.",
        "...",
        "",
    ],
)
def test_what_has_a_holder_or_is_no_english_judgement_stays(text: str) -> None:
    assert turn_to_first_person(text) == text


@pytest.mark.parametrize("text", ["Ana thinks that the ferry is good.", "The user believes it.", "She doubts it."])
def test_another_ones_belief_is_none_of_the_agents(text: str) -> None:
    assert turn_to_first_person(text) is None
