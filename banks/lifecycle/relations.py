"""Relations of which one value holds at a time."""

# A new value of these supersedes the former one. Every other relation may have any number of values.
SINGLE_VALUED = frozenset({"lives_in", "works_at", "married_to"})
LONGEST_NAME = 100


def name_relation(relation: str) -> str:
    return relation.casefold()[:LONGEST_NAME]


def is_single_valued(relation: str) -> bool:
    return name_relation(relation) in SINGLE_VALUED
