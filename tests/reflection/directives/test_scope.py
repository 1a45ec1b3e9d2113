import pytest

from reflection.directives.scope import applies
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, Tags

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
    assert applies(tags, asked) is holds
