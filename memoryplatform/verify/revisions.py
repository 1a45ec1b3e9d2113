"""Revisions replay to the present state: of opinions, of the background, of mental models."""

from collections import defaultdict
from collections.abc import Iterator
from math import isclose
from uuid import UUID

from banks.models import Bank, MemoryUnit
from memoryplatform.verify.check import BankCheck, Finding, find_in_bank, list_finding
from memoryplatform.verify.text_index import BEFORE_ALL
from reflection.models import Opinion, OpinionRevision
from reflection.opinions.history import replay

BATCH = 200
ROUNDING = 1e-9

GAPS = """
SELECT opinion_id FROM reflection_opinionrevision
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s
GROUP BY opinion_id HAVING count(*) <> max(number) OR min(number) <> 1
"""
BACKGROUND = """
WITH step AS (
    SELECT id, number, before, after, lag(after) OVER numbers AS former, row_number() OVER numbers AS place,
           lead(id) OVER numbers IS NULL AS is_last
    FROM reflection_backgroundrevision WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s
    WINDOW numbers AS (ORDER BY number)
)
SELECT step.id FROM step, banks_bank AS bank
WHERE bank.tenant_id = %(tenant_id)s AND bank.id = %(bank_id)s
  AND (step.number <> step.place OR step.before <> step.former OR (step.is_last AND step.after <> bank.background))
"""
MENTAL_MODELS = """
SELECT model.id FROM reflection_mentalmodel AS model
LEFT JOIN LATERAL (
    SELECT count(*) AS steps, max(step.number) AS newest, min(step.number) AS first
    FROM reflection_mentalmodelrevision AS step
    WHERE step.tenant_id = model.tenant_id AND step.mental_model_id = model.id
) AS told ON true
WHERE model.tenant_id = %(tenant_id)s AND model.bank_id = %(bank_id)s
  AND (told.steps <> model.revision OR told.newest <> model.revision OR told.first <> 1)
"""
CONTENTS = """
SELECT model.id FROM reflection_mentalmodel AS model
LEFT JOIN reflection_mentalmodelrevision AS newest
    ON newest.tenant_id = model.tenant_id AND newest.mental_model_id = model.id AND newest.number = model.revision
WHERE model.tenant_id = %(tenant_id)s AND model.bank_id = %(bank_id)s
  AND model.content <> coalesce(newest.content, '')
"""
UNFORMED = """
SELECT unit.id FROM banks_memoryunit AS unit
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND unit.network = 'opinion' AND NOT EXISTS (
    SELECT FROM reflection_opinionrevision AS step
    WHERE step.tenant_id = unit.tenant_id AND step.opinion_id = unit.id AND step.number = 1
)
"""
# A verdict that stands rests on evidence that stands.
UNFOUNDED = """
SELECT step.id FROM reflection_opinionrevision AS step
WHERE step.tenant_id = %(tenant_id)s AND step.bank_id = %(bank_id)s AND NOT step.withdrawn
  AND step.cause IN ('reinforce', 'weaken', 'contradict') AND NOT EXISTS (
    SELECT FROM reflection_revisionevidence AS ground
    WHERE ground.tenant_id = step.tenant_id AND ground.revision_id = step.id AND ground.bears
  )
"""
MISATTRIBUTED = """
SELECT ground.id FROM reflection_revisionevidence AS ground
JOIN reflection_opinionrevision AS step ON step.tenant_id = ground.tenant_id AND step.id = ground.revision_id
WHERE ground.tenant_id = %(tenant_id)s AND ground.bank_id = %(bank_id)s AND ground.opinion_id <> step.opinion_id
"""


def find_not_replayed(bank: Bank) -> Finding:
    """Opinions whose revisions give another text, confidence or review mark. Those without revisions are left out."""
    found = Finding()
    for opinions in read_opinions(bank):
        histories = read_histories(bank, [opinion.id for opinion in opinions])
        found += list_finding([one.id for one in opinions if not is_replayed(one, histories[one.id])])
    return found


def read_opinions(bank: Bank) -> Iterator[list[MemoryUnit]]:
    after, rows = BEFORE_ALL, Opinion.objects.of_bank(bank).order_by("id").defer("embedding", "second_embedding")
    while batch := list(rows.filter(id__gt=after)[:BATCH]):
        yield batch
        after = batch[-1].id


def read_histories(bank: Bank, opinion_ids: list[UUID]) -> defaultdict[UUID, list[OpinionRevision]]:
    histories: defaultdict[UUID, list[OpinionRevision]] = defaultdict(list)
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=opinion_ids).defer("reasoning")
    for revision in rows.order_by("opinion_id", "number"):
        histories[revision.opinion_id].append(revision)
    return histories


def is_replayed(opinion: MemoryUnit, revisions: list[OpinionRevision]) -> bool:
    if not revisions:
        return True
    state = replay(revisions)
    same = (state.text, state.review) == (opinion.text, opinion.review)
    return same and isclose(state.confidence, opinion.confidence or 0.0, abs_tol=ROUNDING)


CHECKS = [
    BankCheck("revisions: every opinion begins with its formation", find_in_bank(UNFORMED)),
    BankCheck("revisions: those of an opinion have no gap", find_in_bank(GAPS)),
    BankCheck("revisions: those of an opinion replay to it", find_not_replayed),
    BankCheck("revisions: a verdict rests on evidence", find_in_bank(UNFOUNDED)),
    BankCheck("revisions: evidence is of the same opinion", find_in_bank(MISATTRIBUTED)),
    BankCheck("revisions: those of the background replay to it", find_in_bank(BACKGROUND)),
    BankCheck("revisions: those of a mental model have no gap", find_in_bank(MENTAL_MODELS)),
    BankCheck("revisions: a mental model has the content of its newest", find_in_bank(CONTENTS)),
]
