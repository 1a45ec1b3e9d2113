import pytest

from banks.entities.resolution.scoring import resolve, score
from tests.banks.entities.sample import make_candidate, make_id, make_mention

_SAME = [
    ("alice chen", "Alice Chen"),
    ("Bob", "Robert"),
    ("Robert", "Bob"),
    ("Bill", "William"),
    ("Kate", "Katherine"),
    ("Judy", "Judith"),  # equally common, but one is a prefix of the other
    ("Stacy", "Stacey"),
    ("Bob Chen", "Robert Chen"),
    ("Mel", "Melanie"),
    ("Charlie", "Charles"),
    ("Alex", "Alexandra"),
    ("J. Smith", "John Smith"),
    ("John A. Smith", "John Adam Smith"),
    ("J.K. Rowling", "Joanne Rowling"),
    ("Alice C.", "Alice Chen"),
    ("Hans-Ulrich", "Hans-Ulrich Baum"),
    ("Chen, Alice", "Alice Chen"),
    ("Dr. Smith", "Jane Smith"),
    ("Melnaie", "Melanie"),
    ("Alice Chenowith", "Alice Chenowth"),
    ("Sergei", "Sergey"),
    ("Mueller", "Müller"),
    ("Мария", "Maria"),
    ("Maria Garcia", "Maria Garcia Lopez"),
    ("Mary Ann Lee", "Maryann Lee"),
]
_TWO = [
    ("Alice Chen", "Alice Cooper", "surnames disagree"),
    ("Maria Garcia", "Marie Garcia", None),
    ("Jon", "Joan", "genders"),
    ("Dan", "Danielle", "genders"),
    ("Dan Baum", "Danielle Baum", "genders"),
    ("Nate", "Kate", "genders"),
    ("Tim", "Tom", "different first names"),
    ("J. Smith", "Mark Smith", "initials disagree"),
    ("John A. Smith", "John B. Smith", "middle names"),
    ("Maria B. Garcia Lopez", "Maria K. Garcia Lopez", "middle names"),
    ("John Smith Jr.", "John Smith Sr.", "junior and senior"),
    ("Mr. Smith", "Mrs. Smith", "title"),
    ("Mrs. Smith", "John Smith", "title"),
    ("Anna Johnson", "Anna Johnston", "surnames disagree"),
    ("Wei Chen", "Wang Chen", "different first names"),
    ("Alice C.", "Alice Dunn", "surnames disagree"),
    ("Louis XIV", "Louis XVI", "numbers"),
]
_DOUBTFUL = [
    ("Jon", "John"),  # one letter of four differs
    ("Ian", "John"),  # listed as a nickname, but mostly a separate name
    ("Hannah", "Joanna"),
    ("Anna", "Hannah"),  # equally common
    ("Ellen", "Helen"),
    ("Lisa", "Alice"),
    ("Carol", "Caroline"),
    ("Smith", "John Smith"),
    ("Alice", "Alice Chen"),  # Tom is not Tom Waits: co-mentions must agree
    ("Alice Chen", "Alice"),
    ("Tom", "Tom Waits"),
    ("John Smith Jr.", "John Smith"),
    ("Priya", "Priyanka"),
]


@pytest.mark.parametrize(("name", "known_as"), _SAME)
def test_one_person_under_two_names(name: str, known_as: str) -> None:
    assert resolve(make_mention(name, days_later=200), [make_candidate(known_as)]).verdict == "same"


@pytest.mark.parametrize(("name", "known_as", "veto"), _TWO)
def test_two_people_with_like_names(name: str, known_as: str, veto: str | None) -> None:
    mention, candidate = make_mention(name, companions=("Zoe",)), make_candidate(known_as, companions=("Zoe",))
    assert resolve(mention, [candidate]).verdict != "same"
    assert (veto or "") in (score(mention, candidate).veto or "")


@pytest.mark.parametrize(("name", "known_as"), _DOUBTFUL)
def test_a_doubt_is_asked_about_not_decided(name: str, known_as: str) -> None:
    decision = resolve(make_mention(name, days_later=200), [make_candidate(known_as)])
    assert decision.verdict == "ask"
    assert decision.entity_id == make_id(known_as)


@pytest.mark.parametrize(("name", "known_as"), [("Lisa", "Alice"), ("Helen", "Ellen"), ("Hannah", "Anna")])
def test_colleagues_whose_names_are_listed_for_one_another_are_two(name: str, known_as: str) -> None:
    mention, known = make_mention(name, companions=("Google",)), make_candidate(known_as, companions=("Google",))
    assert resolve(mention, [known]).verdict == "ask"


@pytest.mark.parametrize(("companions", "verdict"), [((), "ask"), (("Zoe",), "same")])
def test_a_name_of_its_own_needs_the_surname_and_company(companions: tuple[str, ...], verdict: str) -> None:
    mention = make_mention("Jack Chen", companions=companions, days_later=200)
    assert resolve(mention, [make_candidate("John Chen", companions=("Zoe",))]).verdict == verdict


def test_one_of_two_people_with_that_first_name_is_a_question() -> None:
    both = [make_candidate("Alice Chen"), make_candidate("Alice Cooper")]
    assert resolve(make_mention("Alice"), both).verdict == "ask"


def test_co_mentions_separate_two_people_with_one_first_name() -> None:
    both = [make_candidate("Alice Chen", companions=("Bob",)), make_candidate("Alice Cooper", companions=("Eve",))]
    decision = resolve(make_mention("Alice", companions=("Eve",)), both)
    assert (decision.verdict, decision.entity_id) == ("same", make_id("Alice Cooper"))


def test_a_person_with_the_name_as_an_alias_is_preferred() -> None:
    both = [make_candidate("Melanie", aliases=("Mel",)), make_candidate("Melissa")]
    decision = resolve(make_mention("Mel"), both)
    assert (decision.verdict, decision.entity_id) == ("same", make_id("Melanie"))


def test_a_short_alias_does_not_match_another_surname() -> None:
    known = make_candidate("Alice Chen", aliases=("Alice",))
    assert resolve(make_mention("Alice Cooper"), [known]).verdict == "new"


def test_a_full_alias_is_the_person_whatever_the_canonical_name_says() -> None:
    known = make_candidate("Alice Chen", aliases=("Alice Cooper",))
    assert resolve(make_mention("Alice Cooper"), [known]).verdict == "same"


def test_two_names_in_one_fact_are_two_people() -> None:
    decision = resolve(make_mention("Mel", companions=("Melanie",)), [make_candidate("Melanie")])
    assert decision.verdict == "new"
    assert decision.score
    assert decision.score.veto == "they appear together"


def test_two_names_in_an_earlier_fact_are_two_people() -> None:
    assert resolve(make_mention("Mel"), [make_candidate("Melanie", companions=("Mel",))]).verdict == "new"


def test_the_exact_name_wins_over_a_fuller_one_in_better_company() -> None:
    both = [make_candidate("Alice"), make_candidate("Alice Chen", companions=("Bob",))]
    decision = resolve(make_mention("Alice", companions=("Bob",)), both)
    assert (decision.verdict, decision.entity_id) == ("same", make_id("Alice"))
