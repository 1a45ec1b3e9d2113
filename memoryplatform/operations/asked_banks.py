"""The banks that a recall is asked of, with what feedback taught them, in one statement and one round trip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import orjson
from django.db import DEFAULT_DB_ALIAS, OperationalError

from banks.errors import BankNotFound
from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import check_bank_id
from retrieval.errors import NothingSearched
from retrieval.limits import SECONDS_A_STATEMENT
from retrieval.lookups.one_trip import Row
from retrieval.lookups.reading import read_rows
from retrieval.types import Channel

# Every recall begins with it, and what the ORM takes to write it is a tenth of all that a recall takes.
ASKED = """
SELECT {columns}, (
    SELECT learned.weights::text FROM retrieval_channelweights AS learned
    WHERE learned.tenant_id = $1 AND learned.bank_id = bank.id AND learned.learn_from_feedback
)
FROM banks_bank AS bank WHERE bank.tenant_id = $1 AND bank.bank_id = ANY($2::text[]) AND bank.deleted_at IS NULL
"""


@dataclass(frozen=True)
class AskedBanks:
    """`weights`: what feedback taught the bank about the channels, where only one is asked and it wants that."""

    banks: list[Bank]
    weights: Mapping[Channel, float]


def load_banks(access: BankAccess, bank_ids: Sequence[str]) -> AskedBanks:
    """In the order of the ids. One that is not there, or that the key may not reach, refuses the whole call."""
    for bank_id in bank_ids:
        check_bank_id(bank_id)
    reached = [bank_id for bank_id in bank_ids if access.reaches(bank_id)]
    rows = read_asked(access, reached)
    found = {bank.bank_id: (bank, learned) for bank, learned in [(build_bank(row[:-1]), row[-1]) for row in rows]}
    missing = [bank_id for bank_id in bank_ids if bank_id not in found]
    if missing:
        raise BankNotFound(missing[0])
    asked = [found[bank_id] for bank_id in bank_ids]
    learned = asked[0][1] if len(asked) == 1 else None
    factors: dict[str, float] = orjson.loads(learned) if learned else {}
    return AskedBanks([bank for bank, _ in asked], {Channel(name): factor for name, factor in factors.items()})


def read_asked(access: BankAccess, bank_ids: list[str]) -> list[Row]:
    """Without its bank nothing can be searched, so one that can't be read in time is told like that."""
    values = (access.tenant_id, bank_ids)
    try:
        return read_rows(access.tenant_id, write_asked(), values, within_seconds=SECONDS_A_STATEMENT, keeps_plan=True)
    except OperationalError as error:
        raise NothingSearched from error


@cache
def write_asked() -> str:
    return ASKED.format(columns=", ".join(f"bank.{field.column}" for field in Bank._meta.concrete_fields))


def build_bank(values: Sequence[object]) -> Bank:
    return Bank.from_db(DEFAULT_DB_ALIAS, [field.attname for field in Bank._meta.concrete_fields], values)
