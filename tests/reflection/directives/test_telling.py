from uuid import uuid4

from reflection.profile import Profile
from reflection.reflect.llm.prompt import build_prompt
from reflection.reflect.types import AppliedDirective
from tests.reflection.reflect.answers import ask

LINE = "=====NOTES 0123456789ab====="
FIRST = AppliedDirective(uuid4(), "Formal\n tone", "Say Sie.\nNever say du.")
SECOND = AppliedDirective(uuid4(), "Brief", "At most two sentences.")


def test_rules_stand_in_the_system_message_in_their_order_and_are_counted() -> None:
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
