"""Beliefs and profile of the demo agent: opinions with their revisions, observations, background, mental models."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from banks.enums import Network
from banks.facts import hash_words
from banks.lifecycle.history import write_moment
from banks.models import Bank, MemoryUnit, UnitChange, UnitSource
from memoryplatform.embedded.demo import story
from memoryplatform.embedded.demo.rows import ENGINE, Rows, add_source, add_unit
from memoryplatform.embedded.demo.story import Story
from protection.modes import Protection
from reflection.mental_models import DEFAULTS
from reflection.models import (
    BackgroundRevision,
    Directive,
    MentalModel,
    MentalModelRevision,
    MentalModelSource,
    OpinionRevision,
    RevisionEvidence,
)
from reflection.opinions.claims import Verdict
from reflection.opinions.confidence import move

LATER = timedelta(minutes=2)  # from a fact to the opinions and observations that rest on it
MARKS = {
    OpinionRevision.Cause.APPROVED: MemoryUnit.Review.APPROVED,
    OpinionRevision.Cause.PINNED: MemoryUnit.Review.PINNED,
    OpinionRevision.Cause.RETIRED: MemoryUnit.Review.RETIRED,
}


def build_bank(told: Story) -> Bank:
    return Bank(
        **told.bank.model_dump(),
        background=told.background[-1].text,
        learns_background=False,
        protection=Protection(secrets="redact", instructions="quarantine").write(),
    )


def add_opinion(rows: Rows, belief: story.Belief, alpha: float) -> None:
    at, evidence = rows.moment(belief.at), rows.find(belief.facts)
    unit = MemoryUnit(network=Network.OPINION, text=belief.text, confidence=belief.confidence)
    add_unit(rows, unit, at)
    formed = OpinionRevision(
        opinion_id=unit.id,
        number=1,
        cause=OpinionRevision.Cause.FORMED,
        confidence_after=belief.confidence,
        text_after=belief.text,
        reasoning=belief.why,
        actor="reflect",
    )
    add_revision(rows, unit, formed, evidence, at)
    for number, step in enumerate(belief.steps, 2):
        at = rows.moment(step.at) if step.at else rows.units[step.fact].recorded_at + LATER
        add_revision(rows, unit, take_step(unit, step, number, alpha), rows.find([step.fact] if step.fact else []), at)
        unit.review = MARKS.get(step.cause, unit.review)
        if step.cause == OpinionRevision.Cause.RETIRED:
            unit.valid_until = unit.expired_at = at
            unit.close_reason = MemoryUnit.CloseReason.UPDATE
            after = {"valid_until": write_moment(at), "close_reason": unit.close_reason}
            actions = UnitChange.Action.INVALIDATED
            rows.add(UnitChange(unit_id=unit.id, action=actions, after=after, actor=step.by, reason=step.why), at)
    unit.content_hash = hash_words(unit.text)


def take_step(unit: MemoryUnit, step: story.Step, number: int, alpha: float) -> OpinionRevision:
    """Changes the unit, and returns the revision."""
    is_verdict = step.cause in OpinionRevision.EVIDENTIAL
    revision = OpinionRevision(
        opinion_id=unit.id,
        number=number,
        cause=step.cause,
        confidence_before=unit.confidence,
        text_before=unit.text,
        step=alpha if is_verdict else None,
        reasoning=step.why,
        actor=step.by,
    )
    if is_verdict:
        unit.confidence = move(unit.confidence or 0.0, Verdict(step.cause.value), step=alpha)
    unit.text = step.text or unit.text
    revision.confidence_after, revision.text_after = unit.confidence or 0.0, unit.text
    return revision


def add_revision(
    rows: Rows, unit: MemoryUnit, revision: OpinionRevision, evidence: Sequence[MemoryUnit], at: datetime
) -> None:
    revision.evidence_id = evidence[0].id if evidence else None
    rows.add(revision, at)
    for fact in evidence:
        rows.add(RevisionEvidence(opinion_id=unit.id, revision_id=revision.id, fact_id=fact.id), at)
        add_source(rows, unit, role=UnitSource.Role.EVIDENCE, other_unit_id=fact.id)


def add_observation(rows: Rows, summary: story.Summary) -> None:
    """It holds from the newest of its facts until the first one ends."""
    facts = rows.find(summary.facts)
    at = max(fact.recorded_at for fact in facts)
    unit = MemoryUnit(
        network=Network.OBSERVATION,
        text=summary.text,
        mentioned_at=at,
        valid_from=max(fact.valid_from or fact.mentioned_at for fact in facts),
        proof_count=len(facts),
    )
    add_unit(rows, unit, at + LATER)
    ending = min((one for one in facts if one.valid_until), key=lambda one: one.valid_until, default=None)  # type: ignore[arg-type, return-value]  # not null
    if ending is not None:
        unit.valid_until, unit.expired_at, unit.close_reason = (
            ending.valid_until,
            ending.expired_at,
            ending.close_reason,
        )
    if ending is not None and ending.expired_at is not None:
        after = {"valid_until": write_moment(ending.valid_until), "close_reason": ending.close_reason}
        change = UnitChange(unit_id=unit.id, action=UnitChange.Action.SUPERSEDED, after=after, actor=ENGINE)
        rows.add(change, ending.expired_at)
    for fact in facts:
        add_source(rows, unit, role=UnitSource.Role.SUMMARISES, other_unit_id=fact.id)


def add_profile(rows: Rows, told: Story) -> None:
    before = ""
    for number, one in enumerate(told.background, 1):
        engine = ENGINE if one.snippet else ""
        revision = BackgroundRevision(number=number, before=before, after=one.text, snippet=one.snippet, engine=engine)
        revision.actor, before = one.by, one.text
        rows.add(revision, rows.moment(one.at))
    for rule in told.rules:
        rows.add(Directive(name=rule.name, content=rule.text), rows.moment(rule.at))
    for model in told.models:
        add_mental_model(rows, model)


def add_mental_model(rows: Rows, told: story.Model) -> None:
    last = told.revisions[-1]
    model = MentalModel(
        key=told.key,
        name=told.name,
        source_query=told.question,
        trigger=dict(DEFAULTS),
        content=last.text,
        revision=len(told.revisions),
        seen_until=rows.moment(last.at),
        refreshed_at=rows.moment(last.at),
    )
    rows.add(model, rows.moment(told.revisions[0].at))
    for number, one in enumerate(told.revisions, 1):
        at = rows.moment(one.at)
        revision = MentalModelRevision(mental_model_id=model.id, number=number, source_query=told.question)
        revision.content, revision.engine = one.text, ENGINE
        rows.add(revision, at)
        for fact in rows.find(one.facts):
            rows.add(MentalModelSource(revision_id=revision.id, unit_id=fact.id, is_cited=True), at)
