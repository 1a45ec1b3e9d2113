"""Planning a batch of facts with an engine's judge: read, ask, embed. Only the read has a transaction."""

import re
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from banks.embedding_texts import build_unit_text
from banks.entities.named import Naming
from banks.entities.record import build_mention, usable
from banks.entities.resolution.identifier import Identified, NameQuestion
from banks.entities.resolution.identify import find_questions
from banks.lifecycle.deciding.judge import Action
from banks.lifecycle.deciding.plan import Plan, Ruling, build_plan, read_similar
from banks.models import Bank
from banks.retain.prepared import PreparedFact
from banks.retain.tools import Tools
from banks.retain.vectors import embed_texts
from providers.usage import Usage
from tenants.transactions import tenant_transaction

NUMBER = re.compile(r"\d+")
NAME = re.compile(r"(?<=[^\W_] )[^\W\d_a-z][\w'\u2019-]*")  # with a capital, not at the start of a sentence
NO_UNIT = UUID(int=0)


def plan_facts(bank: Bank, facts: Sequence[PreparedFact], tools: Tools, *, speakers: frozenset[str]) -> Plan:
    """Call outside of transactions, and hand the plan to `store_facts` in the one of the write."""
    with tenant_transaction(bank.tenant_id):
        newest, similar = read_similar(bank, facts)
        questions = ask_about(bank, facts, speakers) if tools.engine.identifier else []
    plan = build_plan(facts, similar, tools.engine.judge, newest=newest)
    plan = embed_merged(bank, facts, plan, tools)
    identified = identify(questions, tools)
    return replace(plan, identities=identified.identities, usage=plan.usage + identified.usage)


def ask_about(bank: Bank, facts: Sequence[PreparedFact], speakers: frozenset[str]) -> list[NameQuestion]:
    mentions = []
    for one in facts:
        naming = Naming(NO_UNIT, one.fact.entities, one.fact.mentioned_at, speakers)
        mentions += [(build_mention(naming, entity), one.fact.text) for entity in usable(naming)]
    return find_questions(bank, mentions)


def identify(questions: Sequence[NameQuestion], tools: Tools) -> Identified:
    if not questions or tools.engine.identifier is None:
        return Identified({}, Usage())
    return tools.engine.identifier.identify(questions)


def embed_merged(bank: Bank, facts: Sequence[PreparedFact], plan: Plan, tools: Tools) -> Plan:
    """Merged texts that are new get their vectors. One that dropped a number or a name of either is not taken."""
    rulings = [
        ruling if keeps_all(ruling, fact.fact.text) else Ruling()
        for ruling, fact in zip(plan.rulings, facts, strict=True)
    ]
    places = [
        place
        for place, ruling in enumerate(rulings)
        if ruling.action is Action.MERGE and ruling.text != facts[place].fact.text
    ]
    texts = [build_merged_text(rulings[place]) for place in places]
    embedded = embed_texts(bank.tenant_id, tools.embedder, texts) if texts else None
    for place, vector in zip(places, embedded.vectors if embedded else (), strict=True):
        rulings[place] = replace(rulings[place], vector=vector)
    return replace(plan, rulings=tuple(rulings), usage=plan.usage + (embedded.usage if embedded else Usage()))


def build_merged_text(ruling: Ruling) -> str:
    held = ruling.targets[0]
    return build_unit_text(
        ruling.text, held.network, occurred_start=held.occurred_start, occurred_end=held.occurred_end
    )


def keeps_all(ruling: Ruling, text: str) -> bool:
    if ruling.action is not Action.MERGE:
        return True
    told = f"{ruling.targets[0].text}\n{text}"
    needed = {*NUMBER.findall(told), *NAME.findall(told)}
    return bool(ruling.text) and all(word in ruling.text for word in needed)
