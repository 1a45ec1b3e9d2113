from dataclasses import replace
from itertools import pairwise, product

import pytest

from reflection.disposition import OBJECTIVE, OPINIONATED, TRAITS, Profile, build_system_message

PROFILE = Profile("Ada", "I was born in Texas.")
POLES = {
    "skepticism": ("trusting", "skeptical"),
    "literalism": ("flexibly", "literally"),
    "empathy": ("detached", "empathetic"),
}


def lean(trait: str, step: int) -> int:
    """The direction of the wording: from -2 (strongly the lower pole) to 2 (strongly the upper pole)."""
    profile = replace(PROFILE, **{trait: step})  # type: ignore[arg-type]  # the traits are whole numbers
    text = build_system_message(profile)
    lower, upper = POLES[trait]
    scale = (f"very {lower}", f"rather {lower}", f"neither {lower} nor {upper}", f"rather {upper}", f"very {upper}")
    [found] = [place for place, words in enumerate(scale) if words in text]
    return found - 2


@pytest.mark.parametrize("trait", TRAITS)
def test_each_step_of_a_trait_leans_further_to_its_upper_pole(trait: str) -> None:
    leans = [lean(trait, step) for step in range(1, 6)]

    assert leans == [-2, -1, 0, 1, 2]


def test_every_disposition_has_words_of_its_own() -> None:
    steps = range(1, 6)
    messages = {
        build_system_message(replace(PROFILE, skepticism=one, literalism=two, empathy=three))
        for one, two, three in product(steps, steps, steps)
    }

    assert len(messages) == 125


def test_each_step_of_the_bias_changes_the_words() -> None:
    messages = [build_system_message(replace(PROFILE, bias_strength=step / 20)) for step in range(21)]

    assert all(one != other for one, other in pairwise(messages))


def test_without_bias_the_message_is_objective_and_knows_no_disposition() -> None:
    extreme = replace(PROFILE, skepticism=5, literalism=5, empathy=1, bias_strength=0.0)

    message = build_system_message(extreme)

    assert OBJECTIVE in message
    assert message == build_system_message(replace(extreme, skepticism=1, literalism=1, empathy=5))


def test_full_bias_is_openly_opinionated_and_still_keeps_facts_apart() -> None:
    message = build_system_message(replace(PROFILE, bias_strength=1.0))

    assert OPINIONATED in message
    assert "Facts stay facts" in message


def test_two_profiles_of_the_same_agent_differ_by_their_disposition() -> None:
    trusting = build_system_message(replace(PROFILE, skepticism=1, literalism=2, empathy=5))
    skeptical = build_system_message(replace(PROFILE, skepticism=5, literalism=5, empathy=1))

    assert "very trusting" in trusting
    assert "rather flexibly" in trusting
    assert "very empathetic" in trusting
    assert "very skeptical" in skeptical
    assert "very literally" in skeptical
    assert "very detached" in skeptical


def test_an_agent_without_background_is_only_named() -> None:
    assert build_system_message(replace(PROFILE, background=" ")).startswith("You are Ada.\n\nYou are neither")
