"""A tree of tag conditions as SQL over the alias `unit`.

Tags are rows compared by equality: under row-level security an array's `&&` uses no index, because it is not leakproof
(see docs/adr/0004).
"""

from collections.abc import Callable

from psycopg import sql

from retrieval.filters.conditions import all_of, any_of, text_array
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, Tags, list_leaves

# Subqueries in one condition. The planner orders the joins of each of them, which takes seconds for dozens; a subquery
# under IS TRUE is evaluated once and is not part of that search.
FEW = 4
# A unit made of memories that share no tag has one of these. A condition on tags hides it, unless it names the tag.
FORMED_UNDER_SEVERAL = "formed:under-several-tags"  # an opinion
OBSERVED_UNDER_SEVERAL = "observed:under-several-tags"
UNDER_SEVERAL = (FORMED_UNDER_SEVERAL, OBSERVED_UNDER_SEVERAL)
HAS_ONE_OF = """EXISTS (
    SELECT FROM banks_unittag AS tag
    WHERE tag.bank_id = $2 AND tag.unit_id = unit.id AND tag.tag = ANY({tags})
)"""
HAS_OTHERS = """EXISTS (
    SELECT FROM banks_unittag AS tag
    WHERE tag.bank_id = $2 AND tag.unit_id = unit.id AND tag.tag <> ALL({tags})
)"""
# No unit has a tag twice.
HAS_ALL_OF = """(unit.id IN (
    SELECT tag.unit_id FROM banks_unittag AS tag WHERE tag.bank_id = $2 AND tag.tag = ANY({tags})
    GROUP BY tag.unit_id HAVING count(*) = {count}
) IS TRUE)"""
# All tags of the unit as an array, for a tree with many leaves.
OF_ALL_TAGS = """(
    SELECT {condition} FROM (
        SELECT coalesce(array_agg(tag.tag::text), ARRAY[]::text[]) AS tags FROM banks_unittag AS tag
        WHERE tag.bank_id = $2 AND tag.unit_id = unit.id
    ) AS own
)"""


def build_tag_condition(condition: TagCondition) -> sql.Composable:
    """A derived unit has no tags of its own. A `Not` alone would show one that was made of hidden memories."""
    named = {tag for leaf in list_leaves(condition) for tag in leaf.tags}
    hidden = tuple(tag for tag in UNDER_SEVERAL if tag not in named)
    seen = [sql.SQL("NOT {}").format(has_one_of(hidden))] if hidden else []
    return all_of([build_asked(condition), *seen])


def build_asked(condition: TagCondition) -> sql.Composable:
    if sum(1 for _ in list_leaves(condition)) <= FEW:
        return build_tree(condition, build_tag_match)
    return sql.SQL(OF_ALL_TAGS).format(condition=build_tree(condition, build_array_match))


def build_tree(condition: TagCondition, build_leaf: Callable[[Tags], sql.Composable]) -> sql.Composable:
    match condition:
        case AllOf(conditions):
            return all_of(build_tree(one, build_leaf) for one in conditions)
        case AnyOf(conditions):
            return any_of(build_tree(one, build_leaf) for one in conditions)
        case Not(inner):
            return sql.SQL("NOT {}").format(build_tree(inner, build_leaf))
        case Tags():
            return build_leaf(condition)


def build_array_match(wanted: Tags) -> sql.Composable:
    """The same as `build_tag_match`, over the array `own.tags`."""
    untagged = sql.SQL("own.tags = ARRAY[]::text[]")
    tags = text_array(wanted.tags)
    has_any, has_all = sql.SQL("own.tags && {}").format(tags), sql.SQL("own.tags @> {}").format(tags)
    match wanted.match:
        case "any":
            return any_of([untagged, has_any])
        case "all":
            return any_of([untagged, has_all])
        case "any_strict":
            return any_of([has_any])
        case "all_strict":
            return all_of([sql.SQL("own.tags <> ARRAY[]::text[]"), has_all])
        case "exact":
            return all_of([has_all, sql.SQL("own.tags <@ {}").format(tags)])


def build_tag_match(wanted: Tags) -> sql.Composable:
    untagged = sql.SQL("NOT {}").format(has_others(()))
    has_any = has_one_of(wanted.tags)
    has_all = has_all_of(tuple(dict.fromkeys(wanted.tags)))
    match wanted.match:
        case "any":
            return any_of([untagged, has_any])
        case "all":
            return any_of([untagged, has_all])
        case "any_strict":
            return has_any
        case "all_strict":
            return all_of([has_others(()), has_all])
        case "exact":
            return all_of([has_all, sql.SQL("NOT {}").format(has_others(wanted.tags))])


def has_one_of(tags: tuple[str, ...]) -> sql.Composable:
    return sql.SQL(HAS_ONE_OF).format(tags=text_array(tags))


def has_all_of(tags: tuple[str, ...]) -> sql.Composable:
    if len(tags) <= FEW:
        return all_of(has_one_of((tag,)) for tag in tags)
    return sql.SQL(HAS_ALL_OF).format(tags=text_array(tags), count=sql.Literal(len(tags)))


def has_others(tags: tuple[str, ...]) -> sql.Composable:
    """Has a tag besides these; with none given, has any tag at all."""
    return sql.SQL(HAS_OTHERS).format(tags=text_array(tags))
