"""The revisions of an opinion add up to what it is, whatever happened to it and in whichever order."""

import random
from collections.abc import Callable
from uuid import UUID

import pytest
from django.utils import timezone

from banks.lifecycle.delete import delete_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from providers.registry import get_embedder
from reflection.opinions.review import Act, Review, review_opinion
from reflection.opinions.types import CandidateOpinion
from reflection.opinions.withdrawing import withdraw_lost_evidence
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import Said, believe, check_replay, form, learn, read_opinion, see

STEPS = 12


class Life:
    """Things that may happen to one opinion, drawn by chance."""

    def __init__(self, bank: Bank, seed: int) -> None:
        self.bank = bank
        self.chance = random.Random(seed)  # noqa: S311  # a test that can be repeated
        self.count = 0
        self.facts: list[UUID] = []
        ground = see(bank, "Most notebooks are written in Python.", "Python")
        self.opinion = believe(bank, "Python is the best language.", ground).id

    def live(self) -> None:
        acts: list[Callable[[], None]] = [self.meet, self.meet, self.reword, self.restate, self.review, self.lose]
        for _ in range(STEPS):
            self.chance.choice(acts)()
            check_replay(self.bank, self.opinion)
            assert 0.0 <= (read_opinion(self.bank, self.opinion).confidence or 0.0) <= 1.0

    def tell(self) -> str:
        self.count += 1
        text = f"Python was in the news, number {self.count}."
        self.facts.append(see(self.bank, text, "Python"))
        return text

    def meet(self) -> None:
        text = self.tell()
        verdict = self.chance.choice(["reinforce", "weaken", "contradict", "neutral"])
        learn(self.bank, Said({text: verdict}), self.facts[-1])

    def reword(self) -> None:
        text = self.tell()
        said = Said({text: "contradict"}, texts={text: f"Python is one of {self.count} good languages."})
        learn(self.bank, said, self.facts[-1])

    def restate(self) -> None:
        self.tell()
        form(self.bank, CandidateOpinion(read_opinion(self.bank, self.opinion).text, 0.3, "", (self.facts[-1],)))

    def review(self) -> None:
        opinion = read_opinion(self.bank, self.opinion)
        if opinion.review == "retired":
            act = Act.RESTORE
        elif opinion.review == "pinned":
            act = self.chance.choice([Act.UNPIN, Act.EDIT, Act.RETIRE])
        else:
            act = self.chance.choice([Act.APPROVE, Act.PIN, Act.EDIT, Act.RETIRE])
        text = f"I like Python for {self.count} reasons." if act is Act.EDIT else None
        review = Review(act, "test", "why not", text, 0.4 if act is Act.EDIT else None)
        vector = get_embedder().embed_documents([text or ""]).vectors[0] if text else None
        with tenant_transaction(self.bank.tenant_id):
            lock_memory(self.bank)
            review_opinion(self.bank, MemoryUnit.objects.of_bank(self.bank).get(id=self.opinion), review, vector=vector)

    def lose(self) -> None:
        if not self.facts:
            return
        gone = self.facts.pop(self.chance.randrange(len(self.facts)))
        with tenant_transaction(self.bank.tenant_id):
            lock_memory(self.bank)
            delete_units(self.bank, {gone})
            withdraw_lost_evidence(self.bank, now=timezone.now())


@pytest.mark.parametrize("seed", range(6))
def test_the_revisions_add_up_to_the_opinion(bank: Bank, seed: int) -> None:
    Life(bank, seed).live()
