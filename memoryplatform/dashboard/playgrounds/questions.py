"""Example questions for the playgrounds, from the entities and opinions of the bank. No model writes them."""

from dataclasses import dataclass
from functools import cached_property

from banks.enums import EntityKind, Network
from banks.models import Bank, MemoryUnit
from memoryplatform.operations.entities import find_entities
from tenants.transactions import tenant_transaction

MOST_NAMES = 40
LONGEST_NAME, LONGEST_OPINION = 40, 90  # characters, in a question


@dataclass(frozen=True)
class Suggestions:
    """`names` are those of the entities that are mentioned most, `people` the persons among them."""

    names: list[str]
    people: list[str]
    opinion: str  # one that the agent formed lately; empty if none is short enough

    @cached_property
    def short_names(self) -> list[str]:
        return [name for name in self.names if len(name) <= LONGEST_NAME]

    @property
    def for_recall(self) -> list[str]:
        return [f"What is known about {name}?" for name in self.short_names[:4]]

    @property
    def without_model(self) -> list[str]:
        """Questions that quotes can answer."""
        return [f"What is known about {name}?" for name in self.people[:2] or self.short_names[:2]] + [
            f"What has changed about {name} lately?" for name in self.short_names if name not in self.people
        ][:2]

    @property
    def for_reflect(self) -> list[str]:
        """Questions that ask for a judgement."""
        things = [name for name in self.short_names if name not in self.people]
        return [
            *(f"What do you think about {name}?" for name in things[:1]),
            *(f"What should I know before I talk to {name}?" for name in self.people[:1]),
            *([f"Why do you believe this: “{self.opinion.rstrip('.')}”?"] if self.opinion else []),
            *(f"What has changed about {name} lately?" for name in things[1:2]),
        ]

    @property
    def for_chat(self) -> list[str]:
        return [f"What do you know about {name}?" for name in self.people[:1] or self.short_names[:1]] + [
            f"What do you think about {name}?" for name in self.short_names if name not in self.people[:1]
        ][:2]


def suggest(bank: Bank) -> Suggestions:
    with tenant_transaction(bank.tenant_id):
        entities = find_entities(bank).order_by("-mention_count", "id").values_list("name", "kind")[:MOST_NAMES]
        named = list(entities)
        held = MemoryUnit.objects.of_bank(bank).filter(network=Network.OPINION, expired_at=None)
        texts = held.order_by("-mentioned_at").values_list("text", flat=True)[:10]
        opinion = next((text for text in texts if len(text) <= LONGEST_OPINION), "")
    people = [name for name, kind in named if kind == EntityKind.PERSON and len(name) <= LONGEST_NAME]
    return Suggestions([name for name, _ in named], people, opinion)
