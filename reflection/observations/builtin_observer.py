"""Observations without a language model: what holds of the entity, and of whom little does, what was told of it."""

from reflection.observations.types import Dossier, Observation, Observed

MOST = 7
FEW = 3  # below that facts stand in, in their own words
LEAST_FACTS = 2  # one by itself says no less than an observation of it


class BuiltinObserver:
    name = "builtin"
    facts_at_once = 50  # it names the best few

    def observe(self, dossier: Dossier) -> Observed:
        """Relationships are closed when a newer one contradicts them, so what holds is without conflict already."""
        told = [Observation(one.text, one.source_ids) for one in dossier.held if one.source_ids][:MOST]
        if len(told) < FEW and dossier.fact_count >= LEAST_FACTS:
            told += tell_facts(dossier, told)[: FEW - len(told)]
        return Observed(tuple(told))


def tell_facts(dossier: Dossier, told: list[Observation]) -> list[Observation]:
    """The best supported and then the newest, none that `told` rests on.

    Of a large entity only new facts are read: what was observed of the others before follows them.
    """
    named = {source_id for one in told for source_id in one.source_ids}
    facts = sorted(dossier.facts, key=lambda fact: (fact.proof_count, fact.said_at, fact.id), reverse=True)
    own = [Observation(fact.text, (fact.id,)) for fact in facts]
    by_text = {one.text: one for one in reversed([*own, *dossier.known]) if named.isdisjoint(one.source_ids)}
    return list(reversed(by_text.values()))
