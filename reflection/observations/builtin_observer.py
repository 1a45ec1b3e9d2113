"""Observations without a language model: what holds of the entity, and how much was told of it."""

from reflection.observations.types import Dossier, Observation, Observed

MOST = 7
FEW = 3  # below that it is also told how often and when the entity was spoken of
LEAST_FACTS = 2
NEWEST = 5  # facts that stand for all of them


class BuiltinObserver:
    name = "builtin"
    facts_at_once = 50  # it names the newest few; the others only count, which the dossier does

    def observe(self, dossier: Dossier) -> Observed:
        """Relationships are closed when a newer one contradicts them, so what holds is without conflict already."""
        told = [Observation(one.text, one.source_ids) for one in dossier.held if one.source_ids][:MOST]
        if len(told) < FEW and dossier.fact_count >= LEAST_FACTS:
            told += tell_presence(dossier)
        return Observed(tuple(told))


def tell_presence(dossier: Dossier) -> list[Observation]:
    """Of a large entity only new facts are read: where they are few, those that were named before stand with them."""
    newest = sorted(dossier.facts, key=lambda fact: (fact.said_at, fact.id))[-NEWEST:]
    days = [fact.said_at for fact in newest]
    first = dossier.first_seen_at or min(days, default=None)
    last = dossier.last_seen_at or max(days, default=None)
    known = [source_id for one in dossier.known for source_id in one.source_ids]
    sources = tuple(dict.fromkeys([*(fact.id for fact in newest), *known]))[:NEWEST]
    if first is None or last is None or not sources:
        return []
    span = f"on {first:%d %B %Y}" if first.date() == last.date() else f"between {first:%d %B %Y} and {last:%d %B %Y}"
    text = f"{dossier.name} was spoken of in {dossier.fact_count} memories {span}."
    return [Observation(text, sources, since=last)]
