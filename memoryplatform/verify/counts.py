"""Counts that are stored beside the rows that they count: mentions, companions, messages of an episode."""

from banks.locking import lock_memory
from banks.models import Bank
from memoryplatform.verify.check import BankCheck, execute, find_in_bank
from tenants.transactions import tenant_transaction

# Observations repeat facts and do not count.
COUNTED_MENTIONS = """
SELECT entity.id, count(unit.id) AS mentions, min(unit.mentioned_at) AS first_at, max(unit.mentioned_at) AS last_at
FROM banks_entity AS entity
LEFT JOIN banks_mention AS mention ON mention.tenant_id = entity.tenant_id AND mention.entity_id = entity.id
LEFT JOIN banks_memoryunit AS unit
    ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id AND unit.network <> 'observation'
WHERE entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s
GROUP BY entity.id
"""
MENTIONS = f"""
WITH counted AS ({COUNTED_MENTIONS})
SELECT entity.id FROM banks_entity AS entity JOIN counted USING (id)
WHERE entity.tenant_id = %(tenant_id)s AND entity.mention_count <> counted.mentions
"""  # noqa: S608  # our own statement
COUNT_MENTIONS = f"""
WITH counted AS ({COUNTED_MENTIONS})
UPDATE banks_entity AS entity SET mention_count = counted.mentions,
    first_seen_at = coalesce(counted.first_at, entity.first_seen_at),
    last_seen_at = coalesce(counted.last_at, entity.last_seen_at)
FROM counted
WHERE entity.tenant_id = %(tenant_id)s AND entity.id = counted.id AND entity.mention_count <> counted.mentions
"""  # noqa: S608
PAIRS = """
SELECT one.entity_id AS first_id, other.entity_id AS second_id, count(*) AS units
FROM banks_mention AS one
JOIN banks_mention AS other
    ON other.tenant_id = one.tenant_id AND other.unit_id = one.unit_id AND other.entity_id > one.entity_id
JOIN banks_memoryunit AS unit
    ON unit.tenant_id = one.tenant_id AND unit.id = one.unit_id AND unit.network <> 'observation'
JOIN banks_entity AS first ON first.tenant_id = one.tenant_id AND first.id = one.entity_id
JOIN banks_entity AS second ON second.tenant_id = one.tenant_id AND second.id = other.entity_id
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s
GROUP BY 1, 2
"""
STORED_PAIRS = """
SELECT pair.first_id, pair.second_id, pair.count FROM banks_cooccurrence AS pair
JOIN banks_entity AS entity ON entity.tenant_id = pair.tenant_id AND entity.id = pair.first_id
WHERE entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s
"""
COMPANIONS = f"""
SELECT counted.first_id || ' ' || counted.second_id FROM ({PAIRS}) AS counted
FULL JOIN ({STORED_PAIRS}) AS stored USING (first_id, second_id)
WHERE counted.units IS DISTINCT FROM stored.count
"""  # noqa: S608
DELETE_COMPANIONS = """
DELETE FROM banks_cooccurrence AS pair USING banks_entity AS entity
WHERE pair.tenant_id = %(tenant_id)s AND entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s
  AND entity.id IN (pair.first_id, pair.second_id)
"""
COUNT_COMPANIONS = f"""
INSERT INTO banks_cooccurrence (id, tenant_id, first_id, second_id, count)
SELECT gen_random_uuid(), %(tenant_id)s, first_id, second_id, units FROM ({PAIRS}) AS counted
ON CONFLICT (first_id, second_id) DO UPDATE SET count = excluded.count
"""  # noqa: S608
MESSAGES = """
SELECT episode.id FROM banks_episode AS episode
WHERE episode.tenant_id = %(tenant_id)s AND episode.bank_id = %(bank_id)s AND episode.message_count <> (
    SELECT count(*) FROM banks_message AS message
    WHERE message.tenant_id = episode.tenant_id AND message.episode_id = episode.id
)
"""
COUNT_MESSAGES = """
UPDATE banks_episode AS episode SET message_count = (
    SELECT count(*) FROM banks_message AS message
    WHERE message.tenant_id = episode.tenant_id AND message.episode_id = episode.id
)
WHERE episode.tenant_id = %(tenant_id)s AND episode.bank_id = %(bank_id)s
"""


def count_again(bank: Bank, *statements: str) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        for statement in statements:
            execute(statement, {"tenant_id": bank.tenant_id, "bank_id": bank.id})


def count_mentions(bank: Bank) -> None:
    count_again(bank, COUNT_MENTIONS)


def count_companions(bank: Bank) -> None:
    count_again(bank, DELETE_COMPANIONS, COUNT_COMPANIONS)


def count_messages(bank: Bank) -> None:
    count_again(bank, COUNT_MESSAGES)


CHECKS = [
    BankCheck("counts: mentions of an entity", find_in_bank(MENTIONS), count_mentions),
    BankCheck("counts: memories that two entities share", find_in_bank(COMPANIONS), count_companions),
    BankCheck("counts: messages of an episode", find_in_bank(MESSAGES), count_messages),
]
