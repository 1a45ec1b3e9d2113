"""What the built-in engine finds in a sentence of Ann's, as plain triples."""

from banks.retain.relationships.relations import Ending
from tests.banks.retain.engines.builtin.talk import told

Triple = tuple[str, str, str]


def find_held(text: str) -> list[Triple]:
    return _find(text, are_over=False)


def find_over(text: str) -> list[Triple]:
    return _find(text, are_over=True)


def _find(text: str, *, are_over: bool) -> list[Triple]:
    found = (each for fact in told(f"Ann: {text}") for each in fact.relationships)
    return [(each.subject, each.relation, each.object) for each in found if isinstance(each, Ending) is are_over]
