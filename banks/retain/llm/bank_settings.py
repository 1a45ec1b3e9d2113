"""The bank's own extraction settings: the end of the system message, and what they make of an answer.

The block is the last part of the message, so that the part before it is the same for every bank and can be cached.
"""

from collections.abc import Iterable, Iterator, Sequence

from banks.enums import EntityKind
from banks.extraction_settings import ExtractionSettings, Term

OPENING = "Rules of this bank, which win over those above:"
KINDS = frozenset(EntityKind.values)


def add_settings(system: str, settings: ExtractionSettings) -> str:
    """The system message with the rules of the bank, if it has any."""
    rules = [f"- {rule}" for rule in list_rules(settings)]
    return "\n".join([f"{system}\n", OPENING, *rules]) if rules else system


def list_rules(settings: ExtractionSettings) -> Iterator[str]:
    if settings.retain_mission:
        yield f"What this memory is for: {settings.retain_mission}"
    if settings.leave_out:
        yield f"Write no fact, and no part of one, about this: {settings.leave_out}"
    if settings.retain_language:
        yield f"Write every text in {settings.retain_language}, whatever language the passage has. Names stay."
    if settings.entity_types and settings.entity_types_closed:
        yield f"Types of entities, only these: {write_terms(settings.entity_types)}. Any other entity is OTHER."
    elif settings.entity_types:
        yield f"Types of entities, beside those above: {write_terms(settings.entity_types)}."
    if settings.categories:
        yield (
            "categories: one more field of each fact, a list of those that apply, by their exact names, empty if none "
            f"does: {write_terms(settings.categories)}."
        )


def write_terms(terms: Iterable[Term]) -> str:
    described = ((one.name, one.description.strip().rstrip(".")) for one in terms)
    return "; ".join(f"{name} ({words})" if words else name for name, words in described)


def choose_type(said: str, kind: EntityKind, settings: ExtractionSettings) -> tuple[EntityKind, str]:
    """The kind of an entity and its type in the bank's list, for the type that a model said.

    A type of the bank has the kind OTHER, which resolution compares with every kind: the entity may be known already.
    """
    wanted = "_".join(said.upper().replace("-", " ").replace("_", " ").split())
    listed = {one.name for one in settings.entity_types}
    if wanted in listed:
        return (EntityKind(wanted) if wanted in KINDS else EntityKind.OTHER), wanted
    is_allowed = not settings.entity_types_closed or not listed or kind in listed
    return (kind if is_allowed else EntityKind.OTHER), ""


def keep_known(said: Sequence[str], settings: ExtractionSettings) -> tuple[str, ...]:
    """The categories of the bank's list, in its spelling and order."""
    names = {" ".join(one.split()).casefold() for one in said}
    return tuple(one.name for one in settings.categories if one.name.casefold() in names)
