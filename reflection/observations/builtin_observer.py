"""Observations without a language model: what holds of the entity, and of whom little does, what was told of it."""

import re
from collections import defaultdict
from collections.abc import Sequence

from banks.entities.yet_to_come import tell_with_day
from reflection.observations.types import Dossier, Fact, Held, Observation, Observed
from reflection.opinions.wording.denying import deny_each_other
from reflection.opinions.wording.sense import list_unjudged

MOST = 7
FEW = 3  # below that facts stand in, in their own words
LEAST_FACTS = 2  # one by itself says no less than an observation of it
SPEAKER = re.compile(r"^[^\W\d_][^:.!?\n]{0,60}: ")  # "Ann: Lena is a nurse.", whoever says it


class BuiltinObserver:
    name = "builtin"
    facts_at_once = 50  # it names the best few

    def observe(self, dossier: Dossier) -> Observed:
        """Relationships are closed when a newer one contradicts them, so of what holds only that is left out which
        was denied without anything in its place.
        """
        held = [one for one in dossier.held if one.source_ids and not is_taken_back(one, dossier.facts)]
        told = [Observation(put(one), one.source_ids, one.end) for one in held][:MOST]
        if len(told) < FEW and dossier.fact_count >= LEAST_FACTS:
            told += tell_facts(dossier, told)[: FEW - len(told)]
        return Observed(tuple(told))


def put(one: Fact | Held) -> str:
    return one.text if one.begins is None else tell_with_day(one.text, one.begins)


def is_taken_back(held: Held, facts: Sequence[Fact]) -> bool:
    """Who said it last says that it is not so."""
    return held.said_at is not None and any(
        fact.said_at > held.said_at and not (fact.occurred_start or fact.begins or held.begins)
        for fact in facts
        if fact.id not in held.source_ids and deny_each_other(held.text, read_said(fact))
    )


def tell_facts(dossier: Dossier, told: list[Observation]) -> list[Observation]:
    """What has begun before what will, the best supported and then the newest, none that `told` rests on.

    Of a large entity only new facts are read: what was observed of the others before follows them, unless one of them
    denies it.
    """
    named = {source_id for one in told for source_id in one.source_ids}
    standing = leave_out_denied([fact for fact in dossier.facts if not fact.is_over])
    by_support = sorted(standing, key=lambda fact: (fact.proof_count, fact.said_at, fact.id), reverse=True)
    own = [Observation(put(fact), (fact.id,)) for fact in sorted(by_support, key=lambda fact: fact.begins is not None)]
    known = [one for one in dossier.known if not any(deny_each_other(one.text, read_said(fact)) for fact in standing)]
    by_text = {one.text: one for one in reversed([*own, *known]) if named.isdisjoint(one.source_ids)}
    return list(reversed(by_text.values()))


def leave_out_denied(facts: Sequence[Fact]) -> list[Fact]:
    """Of two that deny each other the one that was said last counts, of two that were said at once the better
    supported. What happened on a day is not undone by what happened on another.
    """
    kept: defaultdict[tuple[str, ...], list[Fact]] = defaultdict(list)
    for fact in sorted(facts, key=lambda fact: (fact.said_at, fact.proof_count, fact.id), reverse=True):
        of_matter = kept[list_unjudged(read_said(fact))]
        if not any(is_denied(fact, newer) for newer in of_matter):
            of_matter.append(fact)
    return [fact for of_matter in kept.values() for fact in of_matter]


def is_denied(fact: Fact, newer: Fact) -> bool:
    has_day = any(one.occurred_start or one.begins for one in (fact, newer))
    return not has_day and deny_each_other(read_said(fact), read_said(newer))


def read_said(fact: Fact) -> str:
    return SPEAKER.sub("", fact.text)
