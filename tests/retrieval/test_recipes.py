import pytest

from retrieval.plan import DEFAULT, RECIPES, Recipe, get_recipe
from retrieval.types import BUDGETS, Channel, QuestionType


def test_every_type_of_question_has_a_recipe() -> None:
    assert set(RECIPES) == set(QuestionType)


@pytest.mark.parametrize("kind", QuestionType)
def test_every_boost_leaves_a_score_above_nothing(kind: QuestionType) -> None:
    boosts = get_recipe(kind).boosts
    strengths = (boosts.recency, boosts.validity, boosts.proof, boosts.importance, boosts.access, boosts.speaker)
    assert all(0 <= strength < 1 for strength in strengths)
    assert boosts.half_life_days > 0
    assert boosts.proof_full > 1
    assert boosts.access_full > 0


@pytest.mark.parametrize("kind", QuestionType)
def test_no_weight_is_negative_and_some_channel_is_asked(kind: QuestionType) -> None:
    weights = [get_recipe(kind).weigh(channel) for channel in Channel]
    assert min(weights) >= 0
    assert max(weights) > 0


def test_a_counting_question_looks_wider() -> None:
    budget = BUDGETS["low"]
    assert get_recipe(QuestionType.COUNTING).widen(budget).nodes > DEFAULT.widen(budget).nodes


def test_a_channel_that_is_not_named_weighs_one() -> None:
    recipe = Recipe(weights={Channel.GRAPH: 0.5})
    assert (recipe.weigh(Channel.GRAPH), recipe.weigh(Channel.KEYWORD)) == (0.5, 1.0)


def test_widening_keeps_the_time_box() -> None:
    widened = Recipe(depth=2.0, rerank_depth=1.5).widen(BUDGETS["low"])
    assert (widened.nodes, widened.rerank_depth, widened.rerank_seconds) == (200, 18, 0.07)


def test_a_question_about_time_goes_without_the_channels_that_bring_other_times() -> None:
    about_time = get_recipe(QuestionType.TEMPORAL)
    assert [channel for channel in Channel if not about_time.weigh(channel)] == [Channel.GRAPH, Channel.SUMMARIES]
