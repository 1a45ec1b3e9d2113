"""Opinions that retain took down without their holder get one, in place: "Caroline is great." was the agent's word."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from banks.retain.vectors import embed_texts
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from reflection.opinions.forming.uniting import Union, unite
from reflection.opinions.history.rewording import find_with_words, say_the_same
from reflection.opinions.wording.voice import turn_to_first_person


@dataclass(frozen=True, eq=False)
class Voiced:
    """`told` is the text as it was read, `text` the same in the first person."""

    told: str
    text: str
    vector: Vector


def voice_texts(bank: Bank, texts: Mapping[UUID, str], embedder: Embedder) -> dict[UUID, Voiced]:
    """Of those that want it. Call outside of transactions."""
    wanted = {unit_id: own for unit_id, text in texts.items() if (own := turn_to_first_person(text)) and own != text}
    if not wanted:
        return {}
    vectors = embed_texts(bank.tenant_id, embedder, list(wanted.values())).vectors
    return {
        unit_id: Voiced(texts[unit_id], own, vector)
        for (unit_id, own), vector in zip(wanted.items(), vectors, strict=True)
    }


def put_in_first_person(bank: Bank, unit: MemoryUnit, voiced: Voiced, *, actor: str, now: datetime) -> None:
    """Call inside a tenant transaction, after `lock_memory`. Where another has these words already, that one stands."""
    if unit.text != voiced.told:
        return
    if (other := find_with_words(bank, unit, voiced.text)) is not None:
        unite(bank, other, unit, Union(actor, now))
        return
    say_the_same(bank, unit, voiced.text, vector=voiced.vector)
