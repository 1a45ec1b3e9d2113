"""The words that models use for ours. Each reader takes whatever stood in the answer."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from banks.retain.types import CauseType
from banks.words import EntityKind, Kind, Network
from providers.llm.prompting.tolerance import snake

E = TypeVar("E", bound=StrEnum)

NETWORKS = {
    Network.WORLD: "world fact facts general user people",
    Network.EXPERIENCE: "experience experiences agent assistant bank self action biographical",
    Network.OPINION: "opinion opinions belief beliefs judgement judgment view",
}
KINDS = {
    Kind.EVENT: "event events happening occurrence dated",
    Kind.CONVERSATION: "conversation conversations statement state said undated",
}
ENTITY_KINDS = {
    EntityKind.PERSON: "person people human character user speaker per",
    EntityKind.ORGANIZATION: (
        "organization organisation org company business institution group team school university band agency"
    ),
    EntityKind.LOCATION: "location loc place city country region area venue building address gpe geo fac",
    EntityKind.PRODUCT: "product software tool app device brand book film movie song game work_of_art vehicle",
    EntityKind.CONCEPT: "concept topic idea activity hobby skill event field subject language",
    EntityKind.OTHER: "other misc unknown thing object animal pet",
}
CAUSE_TYPES = {
    CauseType.CAUSES: "causes cause caused leads_to led_to results_in resulted_in triggers triggered",
    CauseType.CAUSED_BY: "caused_by because because_of due_to results_from resulted_from triggered_by motivated_by",
    CauseType.ENABLES: "enables enable enabled allows allowed makes_possible helps",
    CauseType.PREVENTS: "prevents prevent prevented blocks blocked stops stopped hinders",
}


def build_index(words: Mapping[E, str]) -> dict[str, E]:
    return {word: member for member, known in words.items() for word in known.split()}


NETWORK_OF = build_index(NETWORKS)
KIND_OF = build_index(KINDS)
ENTITY_KIND_OF = build_index(ENTITY_KINDS)
CAUSE_TYPE_OF = build_index(CAUSE_TYPES)


def read_network(value: object) -> Network:
    """What is not called something else is taken as evidence: a belief needs a confidence and says that it is one."""
    return NETWORK_OF.get(snake(value), Network.WORLD)


def read_kind(value: object) -> Kind:
    return KIND_OF.get(snake(value), Kind.CONVERSATION)


def read_entity_kind(value: object) -> EntityKind:
    return ENTITY_KIND_OF.get(snake(value), EntityKind.OTHER)


def find_cause_type(value: object) -> CauseType | None:
    return CAUSE_TYPE_OF.get(snake(value))
