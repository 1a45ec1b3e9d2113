"""The revisions of an opinion always add up to its state, whatever happened and in whichever order."""

import random
from collections.abc import Callable
from uuid import UUID

import pytest

from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from providers.registry import get_embedder
from reflection.opinions.claims import CandidateOpinion
from reflection.opinions.review import Act, Review, review_opinion
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import Said, believe, check_replay, form, learn, read_opinion, see
from tests.reflection.opinions.losing import correct, delete, edit

STEPS = 12


class Life:
    """Random events in the life of one opinion."""

    def __init__(self, bank: Bank, seed: int) -> None:
        self.bank = bank
        self.chance = random.Random(seed)  # noqa: S311  # a test that can be repeated
        self.count = 0
        self.facts: list[UUID] = []
        ground = see(bank, "Most notebooks are written in Python.", "Python")
        self.opinion = believe(bank, "Python is the best language.", ground).id

    def live(self) -> None:
        acts: list[Callable[[], None]] = [
            *(self.meet, self.reword, self.restate, self.restate, self.turn, self.turn),
            *(self.review, self.lose, self.lose, self.correct, self.edit),
        ]
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
        """Restate the opinion on one or two new facts and one that may be known."""
        for _ in range(self.chance.choice([1, 2])):
            self.tell()
        given = tuple({*self.facts[-2:], self.chance.choice(self.facts)})
        form(self.bank, CandidateOpinion(read_opinion(self.bank, self.opinion).text, 0.3, "", given))

    def turn(self) -> None:
        self.tell()
        old = read_opinion(self.bank, self.opinion).text.removeprefix("I think ").rstrip(".")
        text = f"Previously I thought that {old}, but now I think that Python is tool number {self.count}."
        form(self.bank, CandidateOpinion(text, 0.6, "", tuple(self.facts[-2:])))

    def review(self) -> None:
        opinion = read_opinion(self.bank, self.opinion)
        if opinion.review == "retired":
            act = Act.RESTORE
        elif opinion.review == "pinned":
            act = self.chance.choice([Act.UNPIN, Act.EDIT, Act.RETIRE])
        else:
            act = self.chance.choice([Act.APPROVE, Act.PIN, Act.EDIT, Act.RETIRE])
        edits = self.chance.choice([{"text"}, {"confidence"}, {"text", "confidence"}]) if act is Act.EDIT else set()
        text = f"I like Python for {self.count} reasons." if "text" in edits else None
        review = Review(act, "test", "why not", text, 0.4 if "confidence" in edits else None)
        vector = get_embedder().embed_documents([text or ""]).vectors[0] if text else None
        with tenant_transaction(self.bank.tenant_id):
            lock_memory(self.bank)
            review_opinion(self.bank, MemoryUnit.objects.of_bank(self.bank).get(id=self.opinion), review, vector=vector)

    def lose(self) -> None:
        if self.facts:
            delete(self.bank, self.draw())

    def correct(self) -> None:
        if self.facts:
            correct(self.bank, self.draw())

    def edit(self) -> None:
        if self.facts:
            self.count += 1
            edit(self.bank, self.chance.choice(self.facts), f"Python was edited, number {self.count}.")

    def draw(self) -> UUID:
        return self.facts.pop(self.chance.randrange(len(self.facts)))


@pytest.mark.parametrize("seed", range(6))
def test_the_revisions_add_up_to_the_opinion(bank: Bank, seed: int) -> None:
    Life(bank, seed).live()
