"""Seeding the demo bank: one import, and the traces of its use."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.utils import timezone

from banks.entities.descriptions import build_descriptions
from banks.models import Bank, Entity, Episode, Link, MemoryUnit, Message, QuarantinedItem
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.embedded.demo import BANK_ID, is_seeded, story
from memoryplatform.embedded.demo.archive import add_paper, add_talk
from memoryplatform.embedded.demo.beliefs import add_observation, add_opinion, add_profile, build_bank
from memoryplatform.embedded.demo.entities import add_entities
from memoryplatform.embedded.demo.rows import Rows, write_file
from memoryplatform.embedded.demo.story import Story, find_day, find_moment, read_story
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import screen_items, store_quarantined
from memoryplatform.operations.transfer.receive import import_part
from memoryplatform.operations.transfer.values import IdRenaming
from reflection.opinions.confidence import choose_step
from retrieval.models import Feedback, RecallRecord
from retrieval.recall_log import insert_records
from tenants.audit import Actor
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import sum_usage_days

CHANNELS = ("semantic", "keyword", "graph")
TOKENS_OF_RESULT = 24  # about the length of a fact
TOKENS_OF_QUESTION = 9
WEEKS = 6

# The ledger is append-only, and Django would date its rows today.
INSERT_USAGE = """
INSERT INTO tenants_usagerecord (id, tenant_id, at, kind, bank_id, api_key_prefix, attempt, input_tokens, output_tokens,
                                 calls, estimated, by_model, memories, stored_bytes)
SELECT gen_random_uuid(), %(tenant_id)s, used.at, used.kind, %(bank_id)s, '', 0, used.tokens, 0, 1, false,
       jsonb_build_array(jsonb_build_object('service', 'embedding', 'model', %(model)s::text, 'calls', 1,
                                            'input_tokens', used.tokens, 'output_tokens', 0)),
       used.memories, used.size
FROM unnest(%(at)s::timestamptz[], %(kind)s::text[], %(requests)s::int[], %(tokens)s::int[], %(memories)s::int[],
            %(size)s::int[]) AS used (at, kind, requests, tokens, memories, size), generate_series(1, used.requests)
"""


def seed_demo(tenant_id: UUID, *, user_id: UUID | None = None) -> bool:
    """Returns whether the bank is new. A bank that the tenant has, or had and deleted, is left alone.

    Everything is stored in one transaction. A worker builds the indexes afterwards. Of two calls at once, one waits.
    """
    today = timezone.now().astimezone(UTC).date()
    access = BankAccess(tenant_id, actor=Actor(user_id=user_id))
    with tenant_transaction(tenant_id):
        Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
        if is_seeded(tenant_id):
            return False
        told = read_story(today)
        rows, profile = build_rows(told, today), build_bank(told)
        recalls = [build_recall(rows, one) for one in told.recalls]
        operation = import_part(access, BANK_ID, write_file(rows, profile), first_line=1).operation
        operation.payload |= {"links_similar": True, "counts_memories": False}  # the days of the story count them
        operation.save(update_fields=["payload"])
        bank = get_bank(access, BANK_ID)
        Bank.objects.for_tenant(tenant_id).filter(id=bank.id).update(created_at=find_day(today, -7 * WEEKS))
        describe_entities(bank)
        store_recalls(bank, recalls)
        store_work(bank, told, rows)
        store_usage(bank, rows)
        for suspect in told.suspects:
            store_suspect(access, bank, suspect, find_moment(today, suspect.at))
    return True


def describe_entities(bank: Bank) -> None:
    """In the words that the service finds at each retain. Their vectors are made with the indexes."""
    entities = Entity.objects.of_bank(bank)
    for one in build_descriptions(bank, list(entities.values_list("id", flat=True))):
        entities.filter(id=one.entity_id).update(summary=one.summary)


def build_rows(told: Story, today: date) -> Rows:
    rows, bank = Rows(today), build_bank(told)
    passages: list[story.Talk | story.Paper] = [*told.talks, *told.papers]
    for passage in sorted(passages, key=lambda one: rows.moment(one.at)):
        if isinstance(passage, story.Talk):
            add_talk(rows, passage, told)
        else:
            add_paper(rows, passage)
    for opinion in told.opinions:
        add_opinion(rows, opinion, choose_step(bank))
    for summary in told.observations:
        add_observation(rows, summary)
    add_entities(rows, told)
    for cause in told.causes:
        source, target = rows.units[cause.source], rows.units[cause.target]
        link = Link(source_id=source.id, target_id=target.id, type=cause.type, weight=cause.weight)
        rows.add(link, max(source.recorded_at, target.recorded_at))
    add_profile(rows, told)
    return rows


def build_recall(rows: Rows, asked: story.Asked) -> RecallRecord:
    """Adds the marks on its results to the rows. Ids are still those of the file."""
    at, units = rows.moment(asked.at), rows.find(asked.facts)
    results = [
        {
            "id": str(unit.id),
            "kind": "unit",
            "rank": rank,
            "tokens": TOKENS_OF_RESULT,
            "final": round(1 / (1 + rank / 4), 3),
            "ranks": {name: rank + place * (rank % 2) for place, name in enumerate(CHANNELS)},
        }
        for rank, unit in enumerate(units, 1)
    ]
    record = RecallRecord(
        id=rows.make_id(at),
        recall_id=rows.make_id(at),
        recalled_at=at,
        query=asked.query,
        query_type=asked.type,
        results=results,
        tokens=TOKENS_OF_RESULT * len(units),
        milliseconds={"total": asked.milliseconds},
    )
    for key, useful in ((asked.useful, True), (asked.useless, False)):
        if key:
            unit = rows.units[key]
            mark = Feedback(recall_id=record.recall_id, unit_id=unit.id, useful=useful, comment=asked.comment)
            mark.marked_by, mark.rank = "Mira Osei", units.index(unit) + 1
            rows.add(mark, at + timedelta(minutes=1))
    return record


def store_recalls(bank: Bank, records: list[RecallRecord]) -> None:
    renaming = IdRenaming(bank.id)
    for record in records:
        record.tenant_id, record.bank_id = bank.tenant_id, bank.id
        record.results = [one | {"id": str(renaming.rename(UUID(one["id"])))} for one in record.results]
    insert_records(records)


def store_work(bank: Bank, told: Story, rows: Rows) -> None:
    """A retain for each episode, and the operations of the story. All are finished."""
    retained = [story.Work(at="-1 00:00", kind="retain", seconds=2)] * len(rows.by_model[Episode])
    begun = [episode.ended_at for episode in rows.by_model[Episode]]
    work = [*zip(begun, retained, strict=True), *((rows.moment(one.at), one) for one in told.work)]
    operations = [
        Operation(
            id=rows.make_id(at),
            kind=one.kind,
            status=Operation.Status.FAILED if one.error_code else Operation.Status.COMPLETED,
            bank=bank,
            bank_key=bank.bank_id,
            attempts=1,
            max_attempts=1,
            error_code=one.error_code,
            error_detail=one.error_detail,
            started_at=at,
            finished_at=at + timedelta(seconds=one.seconds),
        )
        for at, one in sorted(work, key=lambda pair: pair[0])
    ]
    stored = Operation.objects.for_tenant(bank.tenant_id)
    stored.bulk_create(operations)
    ids = [operation.id for operation in operations]
    stored.filter(id__in=ids).update(created_at=F("started_at"), updated_at=F("finished_at"))


def store_usage(bank: Bank, rows: Rows) -> None:
    """The ledger of the retains of the story, and of recalls that grow over the weeks, with the sums of each day."""
    used: list[tuple[datetime, str, int, int, int, int]] = []  # the columns of INSERT_USAGE
    for offset in range(-7 * WEEKS, 0):
        day = rows.today + timedelta(offset)
        noon = datetime.combine(day, time(12), UTC)
        said = [one for one in rows.by_model[Message] if one.said_at.date() == day]
        known = [one for one in rows.by_model[MemoryUnit] if one.recorded_at.date() == day]
        size = sum(len(one.content.encode()) for one in said)
        if said or known:
            used.append((noon, UsageRecord.Kind.RETAIN, 1, len(known) * TOKENS_OF_RESULT, len(known), size))
        recalls = 4 + (7 * WEEKS + offset) // 4 + offset * offset % 7
        used.append((noon, UsageRecord.Kind.RECALL, recalls, TOKENS_OF_QUESTION, 0, 0))
    names = ("at", "kind", "requests", "tokens", "memories", "size")
    columns: dict[str, Any] = {name: list(column) for name, column in zip(names, zip(*used, strict=True), strict=True)}
    of_bank: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.bank_id, "model": bank.embedding_model}
    with connection.cursor() as cursor:
        cursor.execute(INSERT_USAGE, {**of_bank, **columns})
    sum_usage_days(bank.tenant_id, again_since=used[0][0].date())


def store_suspect(access: BankAccess, bank: Bank, suspect: story.Suspect, at: datetime) -> None:
    message = GivenMessage("user", suspect.text, at, name=suspect.by)
    ids = store_quarantined(
        access, bank, screen_items(bank, [RetainItem(at, messages=(message,), thread=suspect.thread)])
    )
    QuarantinedItem.objects.for_tenant(bank.tenant_id).filter(id__in=ids).update(created_at=at)
