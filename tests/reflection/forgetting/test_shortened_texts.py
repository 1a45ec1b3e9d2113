"""The vectors of texts that were rewritten without deleted content."""

import numpy as np

from banks.models import Bank, Episode
from reflection.forgetting.shortened_texts import find_bare_texts, store_vectors
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_chunk, make_episode
from tests.stored_facts import vector_of

FORMER = vector_of("what was forgotten")


def make_shortened(bank: Bank, narrative: str) -> Episode:
    """An episode whose narrative was shortened and whose vector is still that of the full text."""
    return make_episode(bank.tenant, bank=bank, narrative=narrative, centroid=FORMER)


def embed(bank: Bank) -> dict[str, Episode]:
    with tenant_transaction(bank.tenant_id):
        texts = find_bare_texts(bank)
        store_vectors(bank, texts, [vector_of("\n".join(one.texts)) for one in texts])
        return {row.narrative: row for row in Episode.objects.for_tenant(bank.tenant_id)}


def test_the_topic_of_a_shortened_episode_is_that_of_the_passages_that_are_left(bank: Bank) -> None:
    episode = make_shortened(bank, "Ana sold her boat.")
    kept = vector_of("kept")
    make_chunk(bank.tenant, bank=bank, episode=episode, text="a", heading="May", embedding=kept)
    make_chunk(bank.tenant, bank=bank, episode=episode, text="b", heading="May")

    embedded = embed(bank)["Ana sold her boat."]

    assert np.allclose(embedded.centroid, (kept + vector_of("May\nb")) / 2, atol=1e-5)
    assert np.allclose(embedded.embedding, vector_of("Ana sold her boat."), atol=1e-5)


def test_without_passages_the_topic_is_that_of_the_narrative(bank: Bank) -> None:
    make_shortened(bank, "Ana sold her boat.")
    assert np.allclose(embed(bank)["Ana sold her boat."].centroid, vector_of("Ana sold her boat."), atol=1e-5)


def test_episodes_that_nothing_was_taken_from_keep_their_topic(bank: Bank) -> None:
    make_episode(bank.tenant, bank=bank, narrative="Whole.", centroid=FORMER, embedding=vector_of("Whole."))
    assert np.allclose(embed(bank)["Whole."].centroid, FORMER, atol=1e-5)
