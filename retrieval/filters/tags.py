"""A tree of tag conditions as SQL over `unit`. Tags are rows that are compared by equality (see design: RLS)."""

from psycopg import sql

from retrieval.filters.joining import all_of, any_of
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, Tags

HAS_ONE_OF = """EXISTS (
    SELECT FROM banks_unittag AS tag
    WHERE tag.bank_id = $2 AND tag.unit_id = unit.id AND tag.tag = ANY({tags})
)"""
HAS_OTHERS = """EXISTS (
    SELECT FROM banks_unittag AS tag
    WHERE tag.bank_id = $2 AND tag.unit_id = unit.id AND tag.tag <> ALL({tags})
)"""


def build_tag_condition(condition: TagCondition) -> sql.Composable:
    match condition:
        case AllOf(conditions):
            return all_of(build_tag_condition(one) for one in conditions)
        case AnyOf(conditions):
            return any_of(build_tag_condition(one) for one in conditions)
        case Not(inner):
            return sql.SQL("NOT {}").format(build_tag_condition(inner))
        case Tags():
            return build_tag_match(condition)


def build_tag_match(wanted: Tags) -> sql.Composable:
    untagged = sql.SQL("NOT {}").format(has_others(()))
    has_any = has_one_of(wanted.tags)
    has_all = all_of(has_one_of((tag,)) for tag in dict.fromkeys(wanted.tags))
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


def has_others(tags: tuple[str, ...]) -> sql.Composable:
    """Has a tag besides these; with none given, has any tag at all."""
    return sql.SQL(HAS_OTHERS).format(tags=text_array(tags))


def text_array(values: tuple[str, ...]) -> sql.Composable:
    return sql.SQL("{}::text[]").format(sql.Literal(list(values)))
