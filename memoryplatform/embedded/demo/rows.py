"""The rows of the demo bank, as retain and reflect would have left them, in the format of an export.

The rows are never saved from here. An import stores them, and then builds the text index, the vectors and the links
between similar memories, as it does for every file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import Any, TypeVar

from uuid_utils.compat import uuid7

from banks.chunking.spans import hash_chunk, heading
from banks.chunking.text import chunk_text
from banks.chunking.turns import chunk_turns
from banks.document_pieces import hash_text, write_piece
from banks.entities.names.normalise import identity_key, mentions, normalise_name
from banks.entities.store import list_keys
from banks.enums import Kind, Network
from banks.facts import hash_tags, hash_words
from banks.lifecycle.history import write_moment
from banks.models import (
    Bank,
    Chunk,
    ChunkPart,
    CoOccurrence,
    Document,
    Entity,
    EntityKey,
    EntityName,
    Episode,
    Link,
    MemoryUnit,
    Mention,
    Message,
    Relationship,
    RelationshipSource,
    UnitChange,
    UnitMetadata,
    UnitSource,
    UnitTag,
)
from banks.retain.episodes import build_narrative
from banks.retain.placing import build_turn
from banks.types import Labels
from memoryplatform.embedded.demo import story
from memoryplatform.embedded.demo.story import Story, find_day, find_moment
from memoryplatform.operations.transfer.export import FORMAT, VERSION
from memoryplatform.operations.transfer.lines import END, HEADER, write_line, write_row
from memoryplatform.operations.transfer.tables import PROFILE, SELF_REFERENCES, TABLES, write_profile
from memoryplatform.operations.transfer.values import write_value
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
from reflection.opinions.confidence import choose_step, move
from tenants.scoping import TenantOwned

AGENT = "Juno"
ENGINE = "consolidate"
LATER = timedelta(minutes=2)  # from a fact to the opinions and observations that rest on it
MARKS = {
    OpinionRevision.Cause.APPROVED: MemoryUnit.Review.APPROVED,
    OpinionRevision.Cause.PINNED: MemoryUnit.Review.PINNED,
    OpinionRevision.Cause.RETIRED: MemoryUnit.Review.RETIRED,
}
Row = TypeVar("Row", bound=TenantOwned)


@dataclass
class Rows:
    """Rows by model in the order of time, and the units of facts by key."""

    today: date
    by_model: dict[type[TenantOwned], list[Any]] = field(default_factory=lambda: defaultdict(list))
    units: dict[str, MemoryUnit] = field(default_factory=dict)
    _ids: Counter[datetime] = field(default_factory=Counter)

    def add(self, row: Row, at: datetime) -> Row:
        """`at` decides on the id, which is in the order of time, and on the times of the row's creation."""
        self._ids[at] += 1
        moment = at + timedelta(milliseconds=self._ids[at])
        row.id = uuid7(timestamp=int(moment.timestamp()), nanos=moment.microsecond * 1000)
        for column in row._meta.concrete_fields:
            if getattr(column, "auto_now", False) or getattr(column, "auto_now_add", False):
                setattr(row, column.attname, at)
        self.by_model[type(row)].append(row)
        return row

    def day(self, offset: int | None) -> datetime | None:
        return None if offset is None else find_day(self.today, offset)

    def moment(self, written: str) -> datetime:
        return find_moment(self.today, written)

    def find(self, keys: Iterable[str]) -> list[MemoryUnit]:
        return [self.units[key] for key in keys]


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


def build_bank(told: Story) -> Bank:
    return Bank(
        **told.bank.model_dump(),
        background=told.background[-1].text,
        learns_background=False,
        protection=Protection(secrets="redact", instructions="quarantine").write(),
    )


def add_talk(rows: Rows, talk: story.Talk, told: Story) -> None:
    said_at = begun = rows.moment(talk.at)
    before = [one for one in rows.by_model[Episode] if one.thread == talk.thread]
    episode = rows.add(Episode(thread=talk.thread, started_at=begun, previous_id=before[-1].id if before else None), begun)
    messages: list[Message] = []
    for said in talk.messages:
        said_at = said_at + timedelta(minutes=said.after) if messages else begun
        message = Message(
            thread=talk.thread,
            role="assistant" if said.by == AGENT else "user",
            speaker=find_name(told, said.by),
            content=said.text,
            episode_id=episode.id,
            said_at=said_at,
            extracted_at=said_at,
        )
        messages.append(rows.add(message, said_at))
        for fact in said.facts:
            start = said.text.index(fact.quote)
            unit = add_fact(rows, fact, said_at, talk)
            add_source(rows, unit, message_id=message.id, start=start, end=start + len(fact.quote))
    episode.ended_at, episode.message_count = said_at, len(messages)
    turns = [build_turn(message) for message in messages]
    episode.narrative = build_narrative(turns)
    for position, cut in enumerate(chunk_turns(turns)):
        first = messages[cut.parts[0].turn_index]
        chunk = Chunk(
            episode_id=episode.id,
            position=position,
            heading=heading(first.said_at) if len(cut.parts) > 1 else "",
            context=talk.context,
            text=cut.text,
            content_hash=bytes.fromhex(hash_chunk(cut.text)),
            said_at=first.said_at,
            extracted_at=said_at,
        )
        rows.add(chunk, said_at)
        for part in cut.parts:
            place = ChunkPart(
                chunk_id=chunk.id,
                message_id=messages[part.turn_index].id,
                message_start=part.turn_start,
                message_end=part.turn_end,
                start=part.start,
                end=part.end,
            )
            rows.add(place, said_at)


def find_name(told: Story, alias: str) -> str:
    return next((one.name for one in told.entities if alias in {one.name, *one.aliases}), alias)


def add_paper(rows: Rows, paper: story.Paper) -> None:
    said_at = rows.moment(paper.at)
    labels = Labels(paper.context, paper.tags, paper.metadata)
    document = Document(
        document_id=paper.document_id,
        text=paper.text,
        content_hash=hash_text(paper.text),
        context=paper.context,
        tags=list(paper.tags),
        metadata=paper.metadata,
        pieces=[write_piece(0, said_at, labels, version=1, infer=True, is_ready=False)],
        said_at=said_at,
    )
    rows.add(document, said_at)
    chunks = []
    for position, span in enumerate(chunk_text(paper.text)):
        text = span.read(paper.text)
        chunk = Chunk(
            document_id=document.id,
            position=position,
            start=span.start,
            end=span.end,
            heading=heading(said_at),
            text=text,
            content_hash=bytes.fromhex(hash_chunk(text)),
            said_at=said_at,
            extracted_at=said_at,
        )
        chunks.append(rows.add(chunk, said_at))
    for fact in paper.facts:
        chunk = next(one for one in chunks if fact.quote in one.text)
        start = chunk.text.index(fact.quote)
        unit = add_fact(rows, fact, said_at, paper)
        add_source(rows, unit, chunk_id=chunk.id, start=start, end=start + len(fact.quote))


def add_fact(rows: Rows, fact: story.Fact, said_at: datetime, labels: story.Labels) -> MemoryUnit:
    started = rows.day(fact.on)
    unit = MemoryUnit(
        network=fact.network,
        kind=Kind.CONVERSATION if started is None else Kind.EVENT,
        text=fact.text,
        dimensions={name: value for name, value in (("where", fact.where), ("why", fact.why)) if value},
        context=labels.context,
        occurred_start=started,
        occurred_end=started and started + timedelta(days=fact.days),
        valid_from=rows.day(fact.since),
        importance=fact.importance,
    )
    rows.units[fact.key] = add_unit(rows, unit, said_at, labels.tags)
    for key, value in labels.metadata.items():
        rows.add(UnitMetadata(unit_id=unit.id, key=key, value=value), said_at)
    if fact.replaces:
        supersede(rows, rows.units[fact.replaces], unit, fact.reason)
    return unit


def add_unit(rows: Rows, unit: MemoryUnit, at: datetime, tags: Sequence[str] = ()) -> MemoryUnit:
    unit.recorded_at = at
    unit.mentioned_at = unit.mentioned_at or at
    unit.content_hash, unit.tags_hash = hash_words(unit.text, unit.occurred_start), hash_tags(tags)
    rows.add(unit, at)
    for tag in tags:
        rows.add(UnitTag(unit_id=unit.id, tag=tag), at)
    return unit


def add_source(rows: Rows, unit: MemoryUnit, **place: Any) -> None:
    rows.add(UnitSource(unit_id=unit.id, **place), unit.recorded_at)


def supersede(rows: Rows, old: MemoryUnit, new: MemoryUnit, reason: str) -> None:
    """A state ends when the newer one begins. An end in the future is scheduled, and a correction has no end."""
    before, since = old.valid_until, new.valid_from or new.recorded_at
    old.superseded_by_id = new.id
    if reason == MemoryUnit.CloseReason.UPDATE:
        old.valid_until, new.valid_from = since, since
    action = UnitChange.Action.SUPERSEDED
    if reason == MemoryUnit.CloseReason.UPDATE and since > find_day(rows.today, 0):
        action = UnitChange.Action.SCHEDULED
    else:
        old.expired_at, old.close_reason = max(new.recorded_at, new.valid_from or new.recorded_at), reason
    change = UnitChange(
        unit_id=old.id,
        action=action,
        before={"valid_until": write_moment(before)},
        after={
            "valid_until": write_moment(old.valid_until),
            "close_reason": old.close_reason,
            "superseded_by": str(new.id),
        },
        actor=ENGINE,
    )
    rows.add(change, new.recorded_at)


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
        unit.valid_until, unit.expired_at, unit.close_reason = ending.valid_until, ending.expired_at, ending.close_reason
    for fact in facts:
        add_source(rows, unit, role=UnitSource.Role.SUMMARISES, other_unit_id=fact.id)


def add_entities(rows: Rows, told: Story) -> None:
    units = sorted(rows.by_model[MemoryUnit], key=lambda one: one.mentioned_at)
    speakers = {message.speaker for message in rows.by_model[Message]}
    together: dict[Any, list[Entity]] = defaultdict(list)
    entities: dict[str, Entity] = {}
    for named in told.entities:
        found = {unit.id: name for unit in units if (name := find_mention(unit.text, named))}
        facts = [unit for unit in units if unit.id in found and unit.network != Network.OBSERVATION]
        entity = Entity(
            name=named.name,
            identity=identity_key(named.name),
            kind=named.kind,
            summary=named.summary,
            attributes=named.attributes,
            is_speaker=named.name in speakers,
            name_is_chosen=False,
            kind_is_stated=True,
            mention_count=len(facts),
            first_seen_at=facts[0].mentioned_at,
            last_seen_at=facts[-1].mentioned_at,
        )
        entities[named.name] = rows.add(entity, facts[0].mentioned_at)
        add_names(rows, entity, (named.name, *named.aliases), Counter(found.values()))
        for unit in units:
            if unit.id in found:
                rows.add(Mention(unit_id=unit.id, entity_id=entity.id, name=found[unit.id]), unit.recorded_at)
        for fact in facts:
            together[fact.id].append(entity)
    pairs = Counter(pair for met in together.values() for pair in combinations(sorted(one.id for one in met), 2))
    for (first, second), count in pairs.items():
        rows.add(CoOccurrence(first_id=first, second_id=second, count=count), find_day(rows.today, -1))
    add_relations(rows, told, entities)


def find_mention(text: str, named: story.Named) -> str:
    """The name under which the text mentions the entity; empty if it does not."""
    return next((name for name in (named.name, *named.aliases) if mentions(text, name)), "")


def add_names(rows: Rows, entity: Entity, names: Sequence[str], uses: Counter[str]) -> None:
    seen_at = entity.created_at
    for normalised, name in {normalise_name(name): name for name in reversed(names)}.items():
        count = sum(number for used, number in uses.items() if normalise_name(used) == normalised)
        rows.add(EntityName(entity_id=entity.id, name=name, normalised_name=normalised, uses=max(count, 1)), seen_at)
    for key in sorted(list_keys(names)):
        rows.add(EntityKey(entity_id=entity.id, key=key), seen_at)


def add_relations(rows: Rows, told: Story, entities: dict[str, Entity]) -> None:
    """A relationship has the validity of the fact that states it first, and gives way with it."""
    stated: dict[Any, list[Relationship]] = defaultdict(list)
    for relation in told.relations:
        facts = rows.find(relation.facts)
        relationship = Relationship(
            subject_id=entities[relation.subject].id,
            relation=relation.relation,
            object_id=entities[relation.object].id if relation.object else None,
            value=relation.value,
            text=relation.text,
            mentioned_at=facts[-1].mentioned_at,
            proof_count=len(facts),
            **{name: getattr(facts[0], name) for name in ("valid_from", "valid_until", "recorded_at")},
            **{name: getattr(facts[0], name) for name in ("expired_at", "close_reason")},
        )
        rows.add(relationship, facts[0].recorded_at)
        for fact in facts:
            rows.add(RelationshipSource(relationship_id=relationship.id, unit_id=fact.id), fact.recorded_at)
            stated[fact.id].append(relationship)
        for fact in facts:
            for former in find_former(rows, stated, relationship, fact):
                former.superseded_by_id = relationship.id


def find_former(
    rows: Rows, stated: dict[Any, list[Relationship]], newer: Relationship, fact: MemoryUnit
) -> Iterator[Relationship]:
    """Relationships of the same subject and kind whose fact the newer fact supersedes."""
    for old in rows.units.values():
        if old.superseded_by_id == fact.id:
            same = (newer.subject_id, newer.relation)
            yield from (one for one in stated[old.id] if (one.subject_id, one.relation) == same)


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


def write_file(rows: Rows, bank: Bank) -> bytes:
    """The lines of an export without vectors."""
    written_at = find_day(rows.today, 0).isoformat()
    header = {"format": FORMAT, "version": VERSION, "bank_id": bank.bank_id, "vectors": False, "exported_at": written_at}
    lines = [write_line(HEADER, header), write_row(PROFILE, write_profile(bank))]
    counts: Counter[str] = Counter()
    for table in TABLES:
        for row in rows.by_model[table.model]:
            columns = table.fields(vectors=False).items()
            lines.append(write_row(table.name, {name: write_value(one, getattr(row, name)) for name, one in columns}))
            counts[table.name] += 1
    for name, table in SELF_REFERENCES.items():
        column = table.self_reference_column
        for row in rows.by_model[table.model]:
            if later := getattr(row, column):
                lines.append(write_row(name, {"id": str(row.id), column: str(later)}))
                counts[name] += 1
    return b"".join([*lines, write_line(END, {"rows": counts})])
