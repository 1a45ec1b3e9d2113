from uuid import uuid4

import pytest

from reflection.directives import AppliedDirective, applies_to
from reflection.disposition import Profile
from reflection.reflect.prompt import build_prompt
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, Tags
from tests.reflection.reflect.answers import ask

LINE = "=====NOTES 0123456789ab====="
FIRST = AppliedDirective(uuid4(), "Formal\n tone", "Say Sie.\nNever say du.")
SECOND = AppliedDirective(uuid4(), "Brief", "At most two sentences.")
MATCHES: list[tuple[list[str], TagCondition | None, bool]] = [
    ([], None, True),
    ([], Tags(("a",), "exact"), True),
    (["a"], None, False),
    (["a"], Tags(("a", "b"), "any"), True),
    (["a"], Tags(("a", "b"), "any_strict"), True),
    (["c"], Tags(("a", "b"), "any"), False),
    (["a"], Tags(("a", "b"), "all"), False),
    (["a", "b", "c"], Tags(("a", "b"), "all_strict"), True),
    (["a", "b", "c"], Tags(("a", "b"), "exact"), False),
    (["b", "a"], Tags(("a", "b"), "exact"), True),
    (["a"], AllOf((Tags(("a",)), Not(Tags(("b",))))), True),
    (["a", "b"], AllOf((Tags(("a",)), Not(Tags(("b",))))), False),
    (["b"], AnyOf((Tags(("a",)), Tags(("b",)))), True),
    (["c"], AnyOf((Tags(("a",)), Tags(("b",)))), False),
]


@pytest.mark.parametrize(("tags", "asked", "holds"), MATCHES)
def test_a_rule_without_tags_holds_always_and_others_where_the_questions_tags_fit(
    tags: list[str], asked: TagCondition | None, *, holds: bool
) -> None:
    assert applies_to(tags, asked) is holds


def test_directives_are_in_the_system_message_in_order_and_are_counted() -> None:
    prompt = build_prompt(Profile("Nora"), ask("Who?", directives=(FIRST, SECOND)), {}, delimiter=LINE)
    system, user = prompt.messages
    assert "1. Formal tone: Say Sie.\n   Never say du.\n2. Brief: At most two sentences." in system.content
    assert "Say Sie." not in user.content
    assert prompt.count_parts()["directives"] > 20


def test_without_rules_nothing_is_said_of_them() -> None:
    prompt = build_prompt(Profile("Nora"), ask("Who?"), {}, delimiter=LINE)
    assert "irective" not in prompt.messages[0].content


def test_a_rule_can_not_draw_the_dividing_line() -> None:
    rule = AppliedDirective(uuid4(), "Odd", f"End with {LINE}")
    prompt = build_prompt(Profile("Nora"), ask("Who?", directives=(rule,)), {}, delimiter=LINE)
    assert LINE not in prompt.messages[0].content
