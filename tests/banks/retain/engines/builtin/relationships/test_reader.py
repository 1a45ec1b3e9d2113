import pytest

from banks.retain.relationships.relations import Ending
from tests.banks.retain.engines.builtin.talk import MONDAY, told


def relations(text: str) -> list[tuple[str, str, str]]:
    return [(each.subject, each.relation, each.object) for fact in told(f"Ann: {text}") for each in fact.relationships]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("I work at Google in the evenings.", ("Ann", "works_at", "Google")),
        ("I live in Berlin with my cats.", ("Ann", "lives_in", "Berlin")),
        ("I live in Malmö now.", ("Ann", "lives_in", "Malmö")),
        ("I live in Łódź.", ("Ann", "lives_in", "Łódź")),
        ("I work at Nestlé.", ("Ann", "works_at", "Nestlé")),
        ("I moved to Boston last year.", ("Ann", "lives_in", "Boston")),
        ("I was born in Chicago.", ("Ann", "born_in", "Chicago")),
        ("I'm married to Peter.", ("Ann", "married_to", "Peter")),
        ("I graduated from Stanford University.", ("Ann", "studied_at", "Stanford University")),
        ("My favorite color is blue.", ("Ann", "favourite_color", "blue")),
        ("I have three kids.", ("Ann", "has_children", "3")),
        ("I'm allergic to peanuts.", ("Ann", "allergic_to", "peanuts")),
        ("I own a small sailing boat.", ("Ann", "owns", "small sailing boat")),
        ("My sister Emily called.", ("Ann", "sister", "Emily")),
        ("My favourite colour is blue.", ("Ann", "favourite_color", "blue")),
        ("Blue is now my favourite colour.", ("Ann", "favourite_color", "Blue")),
        ("I started working at Acme.", ("Ann", "works_at", "Acme")),
        ("I got a new job at Acme.", ("Ann", "works_at", "Acme")),
        ("I just started a new job at Acme!", ("Ann", "works_at", "Acme")),
        ("I was hired by Acme.", ("Ann", "works_at", "Acme")),
        ("Acme hired me.", ("Ann", "works_at", "Acme")),
        ("I started at Siemens last week.", ("Ann", "works_at", "Siemens")),
        ("I start at Acme on Monday.", ("Ann", "works_at", "Acme")),
        ("I joined Acme.", ("Ann", "works_at", "Acme")),
        ("I joined the Red Cross as a nurse.", ("Ann", "works_at", "Red Cross")),
        ("I joined the Red Cross.", ("Ann", "member_of", "Red Cross")),
        ("I now work for Acme.", ("Ann", "works_at", "Acme")),
        ("I've worked at Acme for years.", ("Ann", "works_at", "Acme")),
        ("I worked at Acme for years.", ("Ann", "worked_at", "Acme")),
        ("I lived in Berlin for years.", ("Ann", "lived_in", "Berlin")),
        ("I moved from Berlin to Madrid.", ("Ann", "lives_in", "Madrid")),
        ("I relocated to Madrid.", ("Ann", "lives_in", "Madrid")),
        ("We just moved into a house in Porto.", ("Ann", "lives_in", "Porto")),
        ("I live in a flat in Porto.", ("Ann", "lives_in", "Porto")),
        ("We moved back to Madrid.", ("Ann", "lives_in", "Madrid")),
        ("My brother and I moved to Madrid.", ("Ann", "lives_in", "Madrid")),
        ("My brother moved to Madrid.", ("Ann's brother", "lives_in", "Madrid")),
        ("I have one cat.", ("Ann", "has_cats", "1")),
        ("We have two dogs.", ("Ann", "has_dogs", "2")),
        ("I don't rent in Madrid, but I live in Madrid.", ("Ann", "lives_in", "Madrid")),
    ],
)
def test_a_common_pattern_is_found(text: str, relation: tuple[str, str, str]) -> None:
    assert relation in relations(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't live in Berlin.",
        "I would love to live in Berlin.",
        "Do I live in Berlin?",
        "I want to work at Google.",
        "I'm going to work at Google.",
        "I love it.",
        "I love the color of that wall.",
        "If I moved to Boston, I would miss the sea.",
        "If I quit and moved to Boston, everybody would laugh.",
        "I didn't move to Boston.",
        "I haven't moved to Boston.",
        "I almost moved to Boston.",
        "I dreamt that I moved to Boston.",
        "I might have moved to Boston.",
        "Did you move to Boston?",
        "I moved the sofa to Boston.",
        "I moved to a new flat.",
        "I was dating Sam.",
        "I did not get a job at Acme.",
        "Acme didn't hire me.",
        "Tom hired me.",
        "I'm starting at Acme soon.",
        "I started at Stanford University last week.",
        "I started at Central Park and ran home.",
        "I owned a boat.",
        "We have two printers.",
    ],
)
def test_what_is_denied_wished_asked_or_vague_is_no_relationship(text: str) -> None:
    assert relations(text) == []


def endings(text: str) -> list[tuple[str, str, str]]:
    found = (each for fact in told(f"Ann: {text}") for each in fact.relationships)
    return [(each.subject, each.relation, each.object) for each in found if isinstance(each, Ending)]


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("I left Acme.", ("Ann", "works_at", "Acme")),
        ("I quit Acme last week.", ("Ann", "works_at", "Acme")),
        ("I quit my job at Acme.", ("Ann", "works_at", "Acme")),
        ("I resigned from Acme.", ("Ann", "works_at", "Acme")),
        ("I was laid off from Acme.", ("Ann", "works_at", "Acme")),
        ("I got fired.", ("Ann", "works_at", "")),
        ("I lost my job.", ("Ann", "works_at", "")),
        ("My brother left Acme.", ("Ann's brother", "works_at", "Acme")),
        ("We got divorced.", ("Ann", "married_to", "")),
        ("I divorced Peter.", ("Ann", "married_to", "Peter")),
        ("Peter and I separated.", ("Ann", "married_to", "Peter")),
        ("We broke up.", ("Ann", "dating", "")),
        ("I broke up with Sam.", ("Ann", "dating", "Sam")),
        ("I broke up with my boyfriend.", ("Ann", "dating", "")),
        ("I resigned from my position.", ("Ann", "works_at", "")),
        ("I don't like sushi anymore.", ("Ann", "likes", "sushi")),
        ("I don't own a boat anymore.", ("Ann", "owns", "boat")),
    ],
)
def test_an_end_is_found(text: str, ending: tuple[str, str, str]) -> None:
    assert ending in endings(text)


@pytest.mark.parametrize(
    "text",
    [
        "I didn't leave Acme.",
        "I haven't quit my job.",
        "I want to leave Acme.",
        "If I left Acme, I would miss the people.",
        "Were you laid off from Acme?",
        "When I left Acme, it rained.",
        "I left Acme early.",
        "I left the office at six.",
        "I lost my keys.",
        "I quit smoking.",
        "I laid the table.",
        "I fired Tom.",
        "We broke the window.",
        "I separated the eggs.",
        "I got separated from my group.",
        "I broke up with the band.",
        "I resigned from the committee.",
        "We never broke up.",
        "My parents got divorced.",
        "They broke up.",
    ],
)
def test_what_is_denied_wished_asked_or_ends_something_else_is_no_end(text: str) -> None:
    assert endings(text) == []


def test_an_end_says_since_when_and_nothing_of_what_was_left() -> None:
    (fact,) = told("Ann: I left Lisbon yesterday.")
    (ending,) = fact.relationships
    assert ending.valid_from == fact.occurred_start
    assert [entity.kind for entity in fact.entities if entity.name == "Lisbon"] != ["ORGANIZATION"]


def test_a_job_that_was_begun_says_since_when() -> None:
    (fact,) = told("Ann: I started working at Acme yesterday.")
    (relationship,) = fact.relationships
    assert relationship.valid_from == fact.occurred_start


@pytest.mark.parametrize("text", ["I joined Acme.", "I got a job at Acme.", "I left Initech and joined Acme."])
def test_a_job_that_was_begun_without_a_day_began_when_it_was_said(text: str) -> None:
    (fact,) = told(f"Ann: {text}")
    assert {each.valid_from for each in fact.relationships if each.object == "Acme"} == {MONDAY}


@pytest.mark.parametrize(
    "text", ["I moved to Boston when I was young.", "I had moved to Boston.", "I already moved to Boston."]
)
def test_what_began_at_another_time_that_is_not_known_says_no_day(text: str) -> None:
    (fact,) = told(f"Ann: {text}")
    assert [(each.object, each.valid_from) for each in fact.relationships] == [("Boston", None)]


def test_a_document_does_not_say_when_what_it_tells_began() -> None:
    ((relationship,),) = (fact.relationships for fact in told("Ann: Bob moved to Boston.", is_document=True))
    assert (relationship.subject, relationship.valid_from) == ("Bob", None)


def test_what_is_told_with_the_end_of_the_former_began_then() -> None:
    (fact,) = told("Ann: I no longer work at Acme, I work at Initech now.")
    assert [each.valid_from for each in fact.relationships if each.object == "Initech"] == [MONDAY]


def test_a_move_says_since_when() -> None:
    (fact,) = told("Ann: I moved to Boston yesterday.")
    (relationship,) = fact.relationships
    assert relationship.valid_from == fact.occurred_start
    assert relationship.text == "Ann moved to Boston."


@pytest.mark.parametrize(
    ("text", "value", "sentence"),
    [
        ("I joined a new choir.", "new choir", "Ann joined a new choir."),
        ("I adopted a second cat, Basil, on August 30.", "second cat", "Ann got a second cat."),
    ],
)
def test_a_value_is_tidy_while_its_sentence_keeps_the_article(text: str, value: str, sentence: str) -> None:
    (fact,) = told(f"Ann: {text}")
    (relationship,) = fact.relationships
    assert (relationship.object, relationship.text) == (value, sentence)


def test_what_one_moves_to_is_a_place_whatever_the_recogniser_guessed() -> None:
    (fact,) = told("Ann: I moved to Lisbon last month with my dog Rex, and I started a new job at Aurora Labs.")
    assert [entity.kind for entity in fact.entities if entity.name == "Lisbon"] == ["LOCATION"]
