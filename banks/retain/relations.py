"""Relations of which there is one at a time: another object is news, not an addition."""

ONE_VALUE = frozenset({"works_at", "lives_in", "occupation", "married_to", "engaged_to", "dating", "born_in"})
ONE_VALUE_PREFIXES = ("favourite_", "has_")  # a favourite, and a number of something


def holds_one_value(relation: str) -> bool:
    return relation in ONE_VALUE or relation.startswith(ONE_VALUE_PREFIXES)
