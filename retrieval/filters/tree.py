"""A tree of conditions on tags, metadata, entities and times, as SQL over the alias `unit`.

Every leaf is true or false, never null, so `not` means the opposite. Under row-level security only comparisons for
equality use an index: that on bank, key and value finds the values of a key, which the other operators then test.
"""

from dataclasses import dataclass, replace
from decimal import Decimal

from psycopg import sql

from banks.entities.names.normalise import normalise_name
from retrieval.filters.conditions import all_of, any_of, text_array
from retrieval.filters.fields import apply_to_history, happened_within, occurred_within
from retrieval.filters.tags import FEW, UNDER_SEVERAL, build_tag_match, has_one_of
from retrieval.filters.types import (
    AllOf,
    AnyOf,
    Condition,
    Entities,
    Filters,
    Happened,
    Leaf,
    Metadata,
    Not,
    TagCondition,
    Tags,
    TimeRange,
    list_leaves,
)
from retrieval.types import PointInTime

# A value of mem0's that is no text is stored as JSON behind this mark: 3 is json:3.
MARK = "json:"
NUMBER = rf"^({MARK})?-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{{1,2}})?$"
DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
# The first form may be a join that begins with the index; the second is evaluated once (see `FEW`).
BY_JOIN = sql.SQL("EXISTS (SELECT {rows} AND {unit_id} = unit.id)")
BY_LIST = sql.SQL("(unit.id IN (SELECT {unit_id} {rows}) IS TRUE)")
ENTRIES = sql.SQL("FROM banks_unitmetadata AS entry WHERE entry.bank_id = $2 AND entry.key = {key} AND {test}")
MENTIONS = sql.SQL("""FROM banks_entityname AS name JOIN banks_mention AS mention ON mention.entity_id = name.entity_id
    WHERE name.bank_id = $2 AND {test}""")
# A CASE, because a cast of a value that is no number is an error. ISO 8601 sorts as text.
COMPARES_NUMBER = sql.SQL("""CASE WHEN entry.value ~ {number}
    THEN replace(entry.value, {mark}, '')::numeric {operator} {operand} ELSE FALSE END""")
COMPARES_TIME = sql.SQL('(entry.value ~ {day} AND entry.value COLLATE "C" {operator} {operand})')
SIGNS = {"gt": sql.SQL(">"), "gte": sql.SQL(">="), "lt": sql.SQL("<"), "lte": sql.SQL("<=")}


def add_condition(filters: Filters, condition: Condition) -> Filters:
    """The filters and the condition. Its parts that are about tags alone join `filters.tags`, which also decides about
    the rows beside the results, and parts that are a range of `mentioned` join that range, which chunks can meet.
    """
    rest: list[Condition] = [] if filters.where is None else [filters.where]
    for one in list_conjuncts(condition):
        tags = read_tags(one)
        if tags is not None:
            filters = replace(filters, tags=tags if filters.tags is None else AllOf((filters.tags, tags)))
        elif isinstance(one, Happened) and (joined := join_range(filters.mentioned, one)) is not None:
            filters = replace(filters, mentioned=joined)
        else:
            rest.append(one)
    where = None if not rest else rest[0] if len(rest) == 1 else AllOf(tuple(rest))
    return replace(filters, where=where)


def list_conjuncts(condition: Condition) -> list[Condition]:
    if isinstance(condition, AllOf):
        return [part for one in condition.conditions for part in list_conjuncts(one)]
    return [condition]


def read_tags(condition: Condition) -> TagCondition | None:
    """None if the condition is about anything else than tags."""
    match condition:
        case Tags():
            return condition
        case Not(inner):
            tags = read_tags(inner)
            return None if tags is None else Not(tags)
        case AllOf(conditions) | AnyOf(conditions):
            parts = tuple(part for one in conditions if (part := read_tags(one)) is not None)
            if len(parts) < len(conditions):
                return None
            return AllOf(parts) if isinstance(condition, AllOf) else AnyOf(parts)
    return None


def join_range(known: TimeRange, happened: Happened) -> TimeRange | None:
    """None if one of the ends is given twice: equal ends of a range mean a moment."""
    start, end = happened.range.start, happened.range.end
    if happened.column != "mentioned" or (start and known.start) or (end and known.end) or not (start or end):
        return None
    joined = TimeRange(start or known.start, end or known.end)
    return None if joined.is_moment else joined


@dataclass(frozen=True)
class TreeBuilder:
    """`by_join`: the tree has few leaves, so each may be a join."""

    moment: PointInTime
    by_join: bool

    def build(self, condition: Condition) -> sql.Composable:
        match condition:
            case AllOf(conditions):
                return all_of(self.build(one) for one in conditions)
            case AnyOf(conditions):
                return any_of(self.build(one) for one in conditions)
            case Not(inner):
                return sql.SQL("NOT {}").format(self.build(inner))
            case _:
                return self.build_leaf(condition)

    def build_leaf(self, leaf: Leaf) -> sql.Composable:
        match leaf:
            case Tags():
                matches = build_tag_match(leaf)
                return matches if self.by_join else sql.SQL("({} IS TRUE)").format(matches)
            case Metadata():
                rows = ENTRIES.format(key=sql.Literal(leaf.key), test=build_value_test(leaf))
                return self.find(rows, sql.SQL("entry.unit_id"))
            case Entities(names):
                wanted = text_array(tuple(normalise_name(name) for name in names))
                test = sql.SQL("name.normalised_name = ANY({})").format(wanted) if names else all_of([])
                return self.find(MENTIONS.format(test=test), sql.SQL("mention.unit_id"))
            case Happened():
                return all_of(apply_to_history([build_time_test(leaf)], self.moment))

    def find(self, rows: sql.Composable, unit_id: sql.Composable) -> sql.Composable:
        return (BY_JOIN if self.by_join else BY_LIST).format(rows=rows, unit_id=unit_id)


def build_tree_condition(condition: Condition, moment: PointInTime) -> sql.Composable:
    """If the tree names tags, units made of memories under several tags are hidden, as in `build_tag_condition`."""
    leaves = list(list_leaves(condition))
    named = {tag for leaf in leaves if isinstance(leaf, Tags) for tag in leaf.tags}
    hidden = tuple(tag for tag in UNDER_SEVERAL if tag not in named)
    by_tags = any(isinstance(leaf, Tags) for leaf in leaves)
    seen = [sql.SQL("NOT {}").format(has_one_of(hidden))] if by_tags and hidden else []
    return all_of([TreeBuilder(moment, by_join=len(leaves) <= FEW).build(condition), *seen])


def build_value_test(leaf: Metadata) -> sql.Composable:
    match leaf.operator:
        case "in":
            return sql.SQL("entry.value = ANY({})").format(text_array(tuple(map(str, leaf.values))))
        case "exists":
            return sql.SQL("entry.value <> {}").format(sql.Literal(f"{MARK}null"))
        case "contains":
            return sql.SQL("position({} IN entry.value) > 0").format(sql.Literal(leaf.values[0]))
        case "icontains":
            return sql.SQL("position(lower({}) IN lower(entry.value)) > 0").format(sql.Literal(leaf.values[0]))
    return build_comparison(SIGNS[leaf.operator], leaf.values[0])


def build_comparison(sign: sql.Composable, operand: str | float) -> sql.Composable:
    if isinstance(operand, str):
        return COMPARES_TIME.format(day=sql.Literal(DAY), operator=sign, operand=sql.Literal(operand))
    number = sql.Literal(Decimal(str(operand)))
    return COMPARES_NUMBER.format(number=sql.Literal(NUMBER), mark=sql.Literal(MARK), operator=sign, operand=number)


def build_time_test(leaf: Happened) -> sql.Composable:
    if leaf.column == "mentioned":
        return all_of(happened_within("mentioned_at", leaf.range))
    if leaf.range == TimeRange():
        return sql.SQL("unit.occurred_start IS NOT NULL")
    return sql.SQL("({} IS TRUE)").format(all_of(occurred_within(leaf.range)))
