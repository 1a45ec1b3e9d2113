"""Factories of opinions and their rows, each inside its tenant's transaction."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.db.models import Model

from banks import models
from reflection.mental_models import DEFAULTS
from reflection.models import (
    BackgroundRevision,
    Directive,
    KnowledgeNode,
    MentalModel,
    MentalModelRevision,
    MentalModelSource,
    ObservedEntity,
    ObservedScope,
    Opinion,
    OpinionRevision,
    RetentionRule,
    RevisionEvidence,
)
from tenants.models import Tenant
from tests.factories import make_bank
from tests.memory_factories import make_entity, make_row, make_unit, with_bank


def make_opinion(tenant: Tenant, **fields: Any) -> models.MemoryUnit:
    """Creates an opinion with its first revision."""
    usual = {"network": "opinion", "text": "I think that Python is the best language.", "confidence": 0.7}
    opinion = make_unit(tenant, **usual | fields)
    make_opinion_revision(tenant, opinion=opinion)
    return opinion


def make_opinion_revision(tenant: Tenant, **fields: Any) -> OpinionRevision:
    opinion = fields.pop("opinion", None) or make_unit(tenant, network="opinion", confidence=0.7)
    usual = {
        "number": 1,
        "cause": OpinionRevision.Cause.FORMED,
        "confidence_after": opinion.confidence,
        "text_after": opinion.text,
        "actor": "test",
    }
    revision = make_row(OpinionRevision, tenant, bank_id=opinion.bank_id, opinion=opinion, **usual | fields)
    if fact := fields.get("evidence"):
        make_revision_evidence(tenant, revision=revision, fact=fact)
    return revision


def make_revision_evidence(tenant: Tenant, **fields: Any) -> RevisionEvidence:
    revision = fields.pop("revision", None) or make_opinion_revision(tenant)
    usual = {"bank_id": revision.bank_id, "opinion_id": revision.opinion_id, "fact": make_unit(tenant)}
    return make_row(RevisionEvidence, tenant, revision=revision, **usual | fields)


def make_background_revision(tenant: Tenant) -> BackgroundRevision:
    return make_row(BackgroundRevision, tenant, bank=make_bank(tenant), number=1, after="I am an agent.", actor="test")


def make_observed_entity(tenant: Tenant, **fields: Any) -> ObservedEntity:
    entity = fields.pop("entity", None) or make_entity(tenant)
    return make_row(ObservedEntity, tenant, bank_id=entity.bank_id, entity=entity, **fields)


def make_observed_scope(tenant: Tenant, **fields: Any) -> ObservedScope:
    entity = fields.pop("entity", None) or make_entity(tenant)
    return make_row(ObservedScope, tenant, bank_id=entity.bank_id, entity=entity, **fields)


def make_retention_rule(tenant: Tenant, **fields: Any) -> RetentionRule:
    return make_row(RetentionRule, tenant, **with_bank(tenant, {"name": "old talk", "days": 90} | fields))


def make_directive(tenant: Tenant, **fields: Any) -> Directive:
    usual = {"name": "Formal", "content": "Address everybody formally."}
    return make_row(Directive, tenant, **with_bank(tenant, usual | fields))


def make_mental_model(tenant: Tenant, **fields: Any) -> MentalModel:
    usual = {
        "key": f"mm-{uuid4().hex}",
        "name": "Habits",
        "source_query": "What are Ana's habits?",
        "trigger": DEFAULTS,
    }
    return make_row(MentalModel, tenant, **with_bank(tenant, usual | fields))


def make_mental_model_revision(tenant: Tenant, **fields: Any) -> MentalModelRevision:
    model = fields.pop("mental_model", None) or make_mental_model(tenant)
    usual = {"number": 1, "source_query": model.source_query, "content": "Ana cycles.", "engine": "test"}
    return make_row(MentalModelRevision, tenant, bank_id=model.bank_id, mental_model=model, **usual | fields)


def make_mental_model_source(tenant: Tenant, **fields: Any) -> MentalModelSource:
    revision = fields.pop("revision", None) or make_mental_model_revision(tenant)
    return make_row(MentalModelSource, tenant, bank_id=revision.bank_id, revision=revision, **fields)


def make_knowledge_node(tenant: Tenant, **fields: Any) -> KnowledgeNode:
    usual = {} if "mental_model" in fields else {"name": "Habits"}
    return make_row(KnowledgeNode, tenant, **with_bank(tenant, usual | fields))


BELIEFS: dict[type[Model], Callable[[Tenant], Any]] = {
    Opinion: make_opinion,
    OpinionRevision: make_opinion_revision,
    RevisionEvidence: make_revision_evidence,
    BackgroundRevision: make_background_revision,
    ObservedEntity: make_observed_entity,
    ObservedScope: make_observed_scope,
    RetentionRule: make_retention_rule,
    Directive: make_directive,
    MentalModel: make_mental_model,
    MentalModelRevision: make_mental_model_revision,
    MentalModelSource: make_mental_model_source,
    KnowledgeNode: make_knowledge_node,
}
