"""Whether all that a model read is still there when its words are stored: what it wrote may hold any of it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank

Shown = Mapping[UUID, str | None]

# Memories, raw passages, what was said, and who stands to whom. What has a text is a memory.
FIND = """
SELECT id, text FROM banks_memoryunit WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(all_ids)s)
UNION ALL
SELECT id, NULL FROM banks_chunk WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(ids)s)
UNION ALL
SELECT id, NULL FROM banks_message WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(ids)s)
UNION ALL
SELECT id, NULL FROM banks_relationship WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(ids)s)
"""


def are_all_there(bank: Bank, shown: Shown) -> bool:
    """Live or closed, and with the text that is given, if one is: a belief loses words with a fact that is deleted, and
    a person may have put a fact right.

    Call inside a tenant transaction, after `lock_memory`: nothing is deleted behind it then.
    """
    if not shown:
        return True
    others = [one for one, text in shown.items() if text is None]
    asked: dict[str, Any] = {"tenant": bank.tenant_id, "bank": bank.id, "all_ids": list(shown), "ids": others}
    with connection.cursor() as cursor:
        cursor.execute(FIND, asked)
        there = dict(cursor.fetchall())
    return all(one in there and text in {None, there[one]} for one, text in shown.items())
