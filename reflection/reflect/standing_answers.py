"""The contents of mental models that are about the question. They come first in the prompt."""

from collections.abc import Sequence
from datetime import tzinfo

import numpy as np

from banks.models import Bank
from providers import tokens
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.llm.prompting.fence import fence
from reflection.models import MentalModel, MentalModelSource
from reflection.opinions.tags import UNTAGGED, read_tags
from reflection.reflect.citations import drop_marks
from reflection.reflect.context import quote, write_name
from reflection.reflect.dates import describe_day
from reflection.reflect.types import ReflectQuery, StandingAnswer
from retrieval.analysis import QUERY_VECTORS
from retrieval.filters.types import Filters, Tags
from retrieval.types import AT_PRESENT
from tenants.transactions import tenant_transaction

MOST_CONSIDERED = 100  # models of a bank, the latest refreshed
MOST_SHOWN = 2
NEAR = 0.7  # cosine of two questions, for the built-in embedders: unrelated ones about one person have 0.65

INTRODUCTION = """\
You wrote these answers earlier to questions like this one. Use them where they answer it. Newer evidence corrects \
them. They have no numbers: cite the memories."""


def find_standing_answers(
    bank: Bank, query: ReflectQuery, vector: Vector, embedder: Embedder
) -> tuple[StandingAnswer, ...]:
    """The nearest to the question's vector first.

    None for a question about another time, or with a filter that a content may not obey.
    """
    asked = query.recall
    if not query.uses_mental_models or asked.moment != AT_PRESENT or asked.filters != Filters(tags=asked.filters.tags):
        return ()
    with tenant_transaction(bank.tenant_id):
        rows = MentalModel.objects.of_bank(bank).exclude(content="").exclude(key__in=query.excluded_models)
        models = [one for one in rows.order_by("-refreshed_at", "id")[:MOST_CONSIDERED] if may_show(one, asked.filters)]
    if not models or not len(vector):
        return ()
    cosines = [float(np.dot(vector, QUERY_VECTORS.embed(one.source_query, embedder)[0])) for one in models]
    nearest = sorted(zip(cosines, models, strict=True), key=lambda pair: -pair[0])
    chosen = [one for cosine, one in nearest[:MOST_SHOWN] if cosine >= NEAR]
    with tenant_transaction(bank.tenant_id):
        answers = [(one, build_answer(bank, one)) for one in chosen]
        is_open = asked.filters.tags is None
        return tuple(answer for model, answer in answers if is_open or has_only_tagged_sources(bank, model, answer))


def may_show(model: MentalModel, filters: Filters) -> bool:
    """A question without tags may see every memory, so it may see every content.

    A question with tags may see a content that rests only on memories with those tags.
    """
    if filters.tags is None:
        return True
    follows_tags = model.trigger.get("tag_groups") is None and model.trigger.get("tags_match") in {None, "all_strict"}
    if not isinstance(filters.tags, Tags) or not model.tags or not follows_tags:
        return False
    if filters.tags.match == "exact":
        return False
    wanted, own = set(filters.tags.tags), set(model.tags)
    return wanted <= own if filters.tags.match in {"all", "all_strict"} else bool(wanted & own)


def has_only_tagged_sources(bank: Bank, model: MentalModel, answer: StandingAnswer) -> bool:
    """The tags of a model may have changed since its content was written. A passage has no tags to check."""
    tags = read_tags(bank, answer.source_ids)
    return all(tags.get(source_id, UNTAGGED).issuperset(model.tags) for source_id in answer.source_ids)


def build_answer(bank: Bank, model: MentalModel) -> StandingAnswer:
    sources = MentalModelSource.objects.of_bank(bank).filter(
        revision__mental_model=model, revision__number=model.revision
    )
    ids = [unit_id or chunk_id for unit_id, chunk_id in sources.values_list("unit_id", "chunk_id")]
    return StandingAnswer(model.key, model.name, model.content, model.refreshed_at, tuple(filter(None, ids)))


def write_standing_answers(answers: Sequence[StandingAnswer], zone: tzinfo | None, *, max_tokens: int) -> str:
    """Marks in a content belong to the prompt that it was written from, so they are dropped."""
    lines = []
    for one in answers:
        day = f", written {describe_day(one.written_at, zone)}" if one.written_at else ""
        lines += [f"{write_name(one.name)}{day}", *quote(tokens.truncate(drop_marks(one.text), max_tokens))]
    return f"{INTRODUCTION}\n{fence('mental_models', lines)}"
