"""The service's limits, checked before sending, so that a dry run reports the same faults as a real run."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from memoryplatform_client.cli.batches import Entry
from memoryplatform_client.errors import UnusableId, UnusableText
from memoryplatform_client.options.retain import FactFields, Item
from memoryplatform_client.wire import encode_body, path_of

LONGEST_FACT = 100_000
MOST_TAGS, LONGEST_TAG = 100, 200
MOST_VALUES, LONGEST_NAME, LONGEST_VALUE = 100, 100, 500
LONGEST_CONTEXT = 2_000
MOST_ENTITIES, LONGEST_ENTITY = 200, 300  # per fact
EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def find_unsendable(entry: Entry) -> Iterator[str]:
    """Faults that prevent sending. One such entry would fail the whole batch."""
    try:
        path_of(entry.bank_id)
    except (UnusableId, UnusableText) as fault:
        yield f"bank: {fault}"
    yield from find_half_characters(entry.item)


def find_half_characters(fields: Item | FactFields) -> Iterator[str]:
    try:
        encode_body(fields)
    except UnusableText as fault:
        yield str(fault)


def find_faults(item: Item) -> Iterator[str]:
    """Faults of an item. A blank message is no fault: the service skips it."""
    if len(item.get("context") or "") > LONGEST_CONTEXT:
        yield f"context: longer than {LONGEST_CONTEXT:,} characters"
    yield from find_tag_faults(item.get("tags") or ())
    yield from find_metadata_faults(item.get("metadata") or {})
    yield from find_moment_faults("timestamp", item.get("timestamp"))
    for fact in item.get("facts") or ():
        yield from find_fact_faults(fact)


def find_tag_faults(tags: Sequence[str]) -> Iterator[str]:
    if len(tags) > MOST_TAGS:
        yield f"tags: more than {MOST_TAGS}"
    if any(not tag.strip() or len(tag.strip()) > LONGEST_TAG for tag in tags):
        yield f"tags: one is blank, or longer than {LONGEST_TAG} characters"


def find_metadata_faults(metadata: Mapping[str, str]) -> Iterator[str]:
    if len(metadata) > MOST_VALUES:
        yield f"metadata: more than {MOST_VALUES} entries"
    for name, value in metadata.items():
        if not name.strip() or len(name.strip()) > LONGEST_NAME:
            yield f"metadata: a name is blank, or longer than {LONGEST_NAME} characters"
        elif len(value.strip()) > LONGEST_VALUE:
            yield f"metadata.{name}: longer than {LONGEST_VALUE} characters"


def find_fact_faults(fact: FactFields) -> Iterator[str]:
    if not fact["text"].strip():
        yield "text: blank"
    elif len(fact["text"].strip()) > LONGEST_FACT:
        yield f"text: longer than {LONGEST_FACT:,} characters"
    entities = fact.get("entities") or ()
    if len(entities) > MOST_ENTITIES:
        yield f"entities: more than {MOST_ENTITIES}"
    if any(isinstance(one, str) and not 0 < len(one.strip()) <= LONGEST_ENTITY for one in entities):
        yield f"entities: one is blank, or longer than {LONGEST_ENTITY} characters"
    yield from find_moment_faults("occurred_start", fact.get("occurred_start"))
    yield from find_moment_faults("occurred_end", fact.get("occurred_end"))
    yield from find_moment_faults("mentioned_at", fact.get("mentioned_at"))


def find_moment_faults(name: str, moment: datetime | None) -> Iterator[str]:
    if moment is not None and not EARLIEST <= moment < LATEST:
        yield f"{name}: not between the years 1900 and 2200"
