"""The demo bank of `manage.py up`: a consistent history that every page can show."""

import tomllib
from collections import Counter
from datetime import UTC, timedelta
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from banks.entities.descriptions import build_descriptions
from banks.models import (
    Bank,
    Document,
    Entity,
    Episode,
    Link,
    MemoryUnit,
    Mention,
    Message,
    QuarantinedItem,
    Relationship,
    UnitChange,
    UnitMetadata,
    UnitSource,
    UnitTag,
)
from memoryplatform.embedded.demo import BANK_ID
from memoryplatform.embedded.demo.seed import seed_demo
from memoryplatform.embedded.demo.story import FILES, FOLDER, read_story
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.models import Operation
from memoryplatform.operations.recall import recall
from memoryplatform.operations.reflect import reflect
from memoryplatform.operations.running.perform import perform
from reflection.models import (
    BackgroundRevision,
    Directive,
    MentalModel,
    MentalModelRevision,
    Opinion,
    OpinionRevision,
    RevisionEvidence,
)
from reflection.opinions.history import read_history, replay
from reflection.reflect.types import ReflectQuery
from retrieval.models import Feedback, RecallRecord
from retrieval.types import Budget, PointInTime, RecallQuery
from tenants.models import User
from tenants.transactions import tenant_transaction
from tenants.usage import list_usage
from tests.factories import make_tenant

ROOT = Path(__file__).resolve().parents[2]
DAY = timedelta(days=1)
HERO = "A monthly subscription would drive away the people Fennel is made for."


@pytest.fixture
def bank(db: None) -> Bank:
    """The bank of a tenant, seeded as the role of the service, before a worker builds its indexes."""
    tenant = make_tenant("acme")
    assert seed_demo(tenant.id)
    return find_bank(tenant.id)


@pytest.fixture
def indexed_bank(committed_db: None, redis_server: EmbeddedRedis) -> Bank:
    tenant = make_tenant("acme")
    assert seed_demo(tenant.id)
    run_import(tenant.id)
    return find_bank(tenant.id)


def run_import(tenant_id: UUID) -> None:
    with tenant_transaction(tenant_id):
        operation = Operation.objects.for_tenant(tenant_id).get(kind="import_bank")
    perform(tenant_id, operation.id)
    with tenant_transaction(tenant_id):
        operation.refresh_from_db()
    assert operation.status == "completed", operation.error_detail


def find_bank(tenant_id: UUID) -> Bank:
    with tenant_transaction(tenant_id):
        return Bank.objects.for_tenant(tenant_id).get(bank_id=BANK_ID)


def build_query(question: str, moment: PointInTime | None = None) -> RecallQuery:
    budget = Budget(300, 16, None)
    return RecallQuery(question, timezone.now(), moment=moment or PointInTime(), budget=budget, rerank=False)


def ask(bank: Bank, question: str, moment: PointInTime | None = None) -> list[str]:
    found = recall(BankAccess(bank.tenant_id), [BANK_ID], build_query(question, moment))
    return [item.text for item in found.result.items]


def test_the_bank_has_something_for_every_page(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id), connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False,)
        units = MemoryUnit.objects.of_bank(bank)
        assert 150 <= units.count() <= 250
        networks = Counter(units.values_list("network", flat=True))
        assert min(networks[name] for name in ("world", "experience", "observation", "opinion")) >= 8
        messages = Message.objects.of_bank(bank)
        assert 90 <= messages.count() <= 160
        assert 8 <= messages.values("thread").distinct().count() <= 14
        assert Episode.objects.of_bank(bank).filter(previous__isnull=False).exists()
        closed = units.filter(expired_at__isnull=False, network="world")
        assert set(closed.values_list("close_reason", flat=True)) == {"update", "correction"}
        assert closed.filter(superseded_by__isnull=False).count() >= 6
        scheduled = units.current().filter(valid_until__gt=timezone.now(), superseded_by__isnull=False)
        assert scheduled.filter(superseded_by__valid_from__gt=timezone.now()).count() >= 2
        relationships = Relationship.objects.of_bank(bank)
        assert relationships.filter(superseded_by__isnull=False).count() >= 5
        entities = dict(Entity.objects.of_bank(bank).exclude(summary="").values_list("id", "summary"))
        assert len(entities) >= 15
        described = build_descriptions(bank, list(entities))
        assert {one.entity_id: one.summary for one in described} == entities
        tenant_id = bank.tenant_id
        types = set(Link.objects.for_tenant(tenant_id).values_list("type", flat=True))
        assert types == {"causes", "enables", "prevents"}
        assert BackgroundRevision.objects.of_bank(bank).count() == 3
        assert MentalModelRevision.objects.for_tenant(tenant_id).count() == 2
        assert Operation.objects.for_tenant(tenant_id).filter(status="failed").count() == 1
        assert QuarantinedItem.objects.of_bank(bank).get().findings[0]["family"] == "instructions"
        for model in (Document, Directive, MentalModel, Feedback, RecallRecord):
            assert model.objects.of_bank(bank).exists(), model
        for labels in (UnitTag, UnitMetadata, UnitChange, Mention):
            assert labels.objects.for_tenant(tenant_id).exists(), labels


def test_the_history_ends_yesterday_and_covers_six_weeks(bank: Bank) -> None:
    today = timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with tenant_transaction(bank.tenant_id):
        said = list(Message.objects.of_bank(bank).order_by("said_at").values_list("said_at", flat=True))
        recorded = MemoryUnit.objects.of_bank(bank).order_by("-recorded_at").values_list("recorded_at", flat=True)[0]
        usage = list_usage(
            bank.tenant_id, since=(today - 50 * DAY).date(), until=(today - DAY).date(), group_by=["day"]
        )
    assert today - 43 * DAY < said[0] < today - 41 * DAY
    assert today - DAY < said[-1] < today
    assert recorded < today
    assert len(usage) == 42
    assert bank.created_at <= said[0]


def test_the_usage_counts_each_memory_once(indexed_bank: Bank) -> None:
    today = timezone.now().astimezone(UTC).date()
    with tenant_transaction(indexed_bank.tenant_id):
        stored = MemoryUnit.objects.of_bank(indexed_bank).count()
        (row,) = list_usage(indexed_bank.tenant_id, since=today - 50 * DAY, until=today, group_by=["bank"])
    assert row.memories == stored


def test_facts_were_known_when_they_were_said_and_quote_their_source(bank: Bank) -> None:
    told = read_story(timezone.now().astimezone(UTC).date())
    said = [fact for talk in told.talks for message in talk.messages for fact in message.facts]
    quotes = {fact.text: fact.quote for fact in [*said, *(fact for paper in told.papers for fact in paper.facts)]}
    with tenant_transaction(bank.tenant_id):
        facts = MemoryUnit.objects.of_bank(bank).filter(network__in=["world", "experience"])
        rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit__in=facts, role="said")
        sources = list(rows.select_related("unit", "message", "chunk"))
        assert {source.unit_id for source in sources} == set(facts.values_list("id", flat=True))
    for source in sources:
        origin = source.message or source.chunk
        assert origin is not None
        assert origin.said_at == source.unit.recorded_at == source.unit.mentioned_at
        text = origin.content if isinstance(origin, Message) else origin.text
        assert text[source.start : source.end] == quotes[source.unit.text]


def test_every_revision_follows_evidence_that_somebody_said(bank: Bank) -> None:
    tenant_id = bank.tenant_id
    with tenant_transaction(tenant_id):
        opinions = list(MemoryUnit.objects.of_bank(bank).filter(network="opinion"))
        assert len(opinions) >= 8
        for opinion in opinions:
            history = read_history(bank, opinion.id)
            assert 3 <= len(history.revisions) <= 7
            times = [one.created_at for one in history.revisions]
            assert times == sorted(set(times))
            assert history.revisions[0].created_at == opinion.recorded_at
            state = replay(history.revisions)
            assert (state.text, state.confidence, state.review) == (opinion.text, opinion.confidence, opinion.review)
        evidence = list(RevisionEvidence.objects.of_bank(bank).select_related("revision", "fact"))
        assert evidence
        for one in evidence:
            assert one.fact is not None
            assert one.fact.recorded_at < one.revision.created_at
            assert UnitSource.objects.for_tenant(tenant_id).filter(unit=one.fact, role="said").exists()
        verdicts = OpinionRevision.objects.of_bank(bank).filter(cause__in=OpinionRevision.EVIDENTIAL)
        assert not verdicts.filter(evidence=None).exists()
        assert set(verdicts.values_list("cause", flat=True)) == {"reinforce", "weaken", "contradict"}
        held = Opinion.objects.of_bank(bank).held()
        assert 1 <= held.needing_review().count() < held.count()
        assert MemoryUnit.objects.of_bank(bank).filter(review="retired").count() == 1


def test_the_opinion_leads_to_a_sentence_and_vanishes_before_it(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id):
        opinion = MemoryUnit.objects.of_bank(bank).get(text=HERO)
        formed = OpinionRevision.objects.of_bank(bank).get(opinion=opinion, number=1)
        source = UnitSource.objects.for_tenant(bank.tenant_id).get(unit=formed.evidence_id, message__isnull=False)
        assert source.message is not None
        assert source.message.content[source.start : source.end] == "I'd cancel it the first month I didn't use it"
        assert source.message.speaker == "Ruth Adler"
        before, after = source.message.said_at - DAY, formed.created_at
        units = MemoryUnit.objects.of_bank(bank)
        assert not units.known_at(before).filter(id__in=[opinion.id, source.unit_id]).exists()
        assert units.known_at(after).filter(id__in=[opinion.id, source.unit_id]).count() == 2


QUESTIONS = (
    ("Where does Mira live?", "Mira Osei lives in Lisbon.", "Mira Osei lives in Bristol"),
    ("Where does Hana Sato work?", "Hana Sato works for Bristol City Council", "Hana Sato works at Harbour"),
    ("Which service does Fennel use for payments?", "Fennel uses Coinbridge", "Fennel uses Paywell"),
)


def test_recall_answers_for_today_and_for_an_earlier_day(indexed_bank: Bank) -> None:
    bank = indexed_bank
    with tenant_transaction(bank.tenant_id):
        for model in (MemoryUnit, Episode, Relationship, Entity):
            assert not model.objects.of_bank(bank).filter(embedding=None).exists(), model
        assert Link.objects.for_tenant(bank.tenant_id).filter(type="semantic").count() >= 50
    for question, answer, former in QUESTIONS:
        found = ask(bank, question)
        assert any(text.startswith(answer) for text in found[:5]), found[:5]
        assert not any(text.startswith(former) for text in found)
        then = ask(bank, question, PointInTime(known_at=timezone.now() - 25 * DAY))
        assert any(text.startswith(former) for text in then), then
    question = "Would a monthly subscription drive people away?"
    assert HERO in ask(bank, question)
    assert HERO not in ask(bank, question, PointInTime(known_at=timezone.now() - 40 * DAY))
    asked = ReflectQuery(build_query("Would Ruth Adler keep a monthly subscription?"))
    assert "Ruth Adler would cancel" in reflect(BankAccess(bank.tenant_id), BANK_ID, asked).text


def test_a_second_seeding_changes_nothing_and_a_deleted_bank_stays_deleted(bank: Bank) -> None:
    tenant_id = bank.tenant_id
    assert not seed_demo(tenant_id)
    with tenant_transaction(tenant_id):
        assert Bank.objects.for_tenant(tenant_id).count() == 1
    delete_bank_for_good(BankAccess(tenant_id), BANK_ID)
    assert not seed_demo(tenant_id)


@pytest.mark.parametrize("arguments", [(), ("--no-bank",)])
def test_the_demo_command_seeds_once_or_not_at_all(
    committed_db: None, redis_server: EmbeddedRedis, arguments: tuple[str, ...]
) -> None:
    for _ in range(2):
        call_command("demo", "--json", *arguments, stdout=StringIO())
    owner = User.objects.get(email="demo@example.com")
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id FROM memberships_of_user(%s)", [owner.id])
        (tenant_id,) = cursor.fetchone()
    with tenant_transaction(tenant_id):
        banks = list(Bank.objects.for_tenant(tenant_id).values_list("bank_id", flat=True))
    assert banks == ([] if arguments else [BANK_ID])


def test_the_story_is_part_of_the_package() -> None:
    """The wheel holds only the data files that pyproject.toml names."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    patterns = settings["memoryplatform.embedded.demo"]
    packaged = {path for pattern in patterns for path in FOLDER.parent.glob(pattern)}
    assert packaged >= {FOLDER / f"{name}.toml" for name in FILES}
