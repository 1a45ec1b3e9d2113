"""Claims of an answer become opinions, join existing ones, or are refused."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.enums import Network
from banks.locking import lock_memory
from banks.models import Bank, Corpus, Mention, UnitSource
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.read import rank_texts
from providers.llm.errors import LLMUnavailable
from reflection.models import Opinion, OpinionRevision
from reflection.models.opinions import Concern
from reflection.opinions.claims import MOST_ENTITIES, CandidateOpinion, describe_refused
from reflection.opinions.matching import MatchQuestion, Relations
from reflection.opinions.review import Act, Review, review_opinion
from reflection.opinions.revisions import write_formed
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import (
    Matched,
    believe,
    check_replay,
    form,
    list_causes,
    read_opinion,
    read_opinions,
    read_steps,
    see,
    try_to_form,
)
from tests.reflection.opinions.losing import delete

FERRY = "I think that the Faro ferry is reliable."


def count_found(bank: Bank, words: str) -> int:
    with tenant_transaction(bank.tenant_id):
        return len(rank_texts(bank, {Corpus.UNIT: 10}, extract_lexemes(words))[Corpus.UNIT])


def test_a_new_opinion_has_confidence_evidence_entities_and_a_beginning(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    formed = believe(bank, FERRY, fact)
    assert (formed.outcome, formed.confidence, formed.confidence_before) == ("formed", 0.7, None)
    assert formed.evidence_ids == (fact,)
    opinion = read_opinion(bank, formed.id)
    assert (opinion.network, opinion.text, opinion.confidence) == ("opinion", FERRY, 0.7)
    assert opinion.embedding is not None
    with tenant_transaction(bank.tenant_id):
        (source,) = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
        (mention,) = Mention.objects.for_tenant(bank.tenant_id).filter(unit=opinion).select_related("entity")
    assert (source.role, source.other_unit_id, mention.entity.name) == ("evidence", fact, "Faro ferry")
    (step,) = read_steps(bank, formed.id)
    assert (step.number, step.cause, step.reasoning, step.actor) == (1, "formed", "because", "test")
    assert count_found(bank, "ferry reliable") == 2
    check_replay(bank, formed.id)


@pytest.mark.parametrize("confidence", [7, -0.1, 1.01, float("nan"), float("inf"), None, "0.5", True])
def test_a_confidence_that_is_none_is_refused(bank: Bank, confidence: float) -> None:
    fact = see(bank, "The ferry was on time.")
    assert form(bank, CandidateOpinion(FERRY, confidence, "", (fact,))) == []
    assert read_opinions(bank) == []


@pytest.mark.parametrize("text", ["", "   ", "I think " + "x" * 1_000])
def test_an_empty_text_or_an_essay_is_refused(bank: Bank, text: str) -> None:
    fact = see(bank, "The ferry was on time.")
    assert form(bank, CandidateOpinion(text, 0.7, "", (fact,))) == []


@pytest.mark.parametrize("text", ["Caroline is great.", "Is the ferry any good?", "Die F\u00e4hre ist gut."])
def test_the_text_is_stored_as_the_model_wrote_it(bank: Bank, text: str) -> None:
    assert believe(bank, text, see(bank, "The ferry was on time.")).text == text


def test_an_opinion_in_equal_words_is_the_same_without_a_question(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    matcher = Matched()
    old = believe(bank, FERRY, fact, matcher=matcher)
    new = believe(bank, FERRY.upper().replace(".", "!"), fact, matcher=matcher)
    assert (new.id, new.outcome, matcher.asked) == (old.id, "restated", [])


def test_an_opinion_that_was_stored_meanwhile_is_compared_too(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    opposite = "I think that the Faro ferry is not reliable."

    class Overtaken(Matched):
        def match(self, questions: Sequence[MatchQuestion]) -> Relations:
            if not self.asked:
                believe(bank, FERRY, fact)
            return super().match(questions)

    believe(bank, "I think that the Faro ferry is quick.", fact)
    new = believe(bank, opposite, fact, matcher=Overtaken())
    assert new.outcome == "revised"
    assert [one.text for one in read_opinions(bank)] == ["I think that the Faro ferry is quick.", opposite]


def test_a_model_that_does_not_answer_leaves_claims_refused_and_counted(bank: Bank) -> None:
    class Down(Matched):
        def match(self, questions: Sequence[MatchQuestion]) -> Relations:
            raise LLMUnavailable("down")

    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    believe(bank, FERRY, fact)
    claim = CandidateOpinion("I think that the Faro ferry is quick.", 0.7, "", (fact,))
    assert try_to_form(bank, claim, matcher=Down()).refused == {"no_model": 1}
    assert [one.text for one in read_opinions(bank)] == [FERRY]


def test_without_existing_evidence_nothing_is_formed(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    belief = believe(bank, FERRY, fact)
    assert form(bank, CandidateOpinion("I think that trams are good.", 0.7, "", (uuid4(),))) == []
    assert form(bank, CandidateOpinion("I think that trams are good.", 0.7, "", (belief.id,))) == []
    assert form(bank, CandidateOpinion("I think that trams are good.", 0.7)) == []


def test_a_fact_that_is_valid_only_in_the_future_is_no_evidence(bank: Bank) -> None:
    later = timezone.now() + timedelta(days=30)
    coming = see(bank, "The Faro ferry is run by Ana.", valid_from=later)
    summary = see(bank, "Ana runs the ferry.", network=Network.OBSERVATION, valid_from=later)
    now, planned = (
        see(bank, "The Faro ferry was on time."),
        see(bank, "The ferry gets a new hull.", occurred_start=later),
    )
    with tenant_transaction(bank.tenant_id):
        for fact in (coming, now):
            UnitSource.objects.for_tenant(bank.tenant_id).create(unit_id=summary, role="summarises", other_unit_id=fact)
    assert form(bank, CandidateOpinion(FERRY, 0.7, "", (coming,))) == []
    assert believe(bank, FERRY, coming, summary, planned).evidence_ids == (now, planned)


@pytest.mark.parametrize("again", [FERRY, "The Faro ferry is reliable", "I believe that the Faro ferry is reliable."])
def test_a_restatement_with_new_evidence_moves_it_by_one_step(bank: Bank, again: str) -> None:
    first, second, third = (see(bank, f"The Faro ferry was on time in {month}.", "Faro ferry") for month in MONTHS)
    old = believe(bank, FERRY, first)
    new = believe(bank, again, first, second, third, confidence=0.2)
    assert (new.id, new.outcome, new.text) == (old.id, "restated", FERRY)
    assert (new.confidence_before, new.confidence, new.evidence_ids) == (0.7, 0.85, (second, third))
    assert list_causes(bank, old.id) == ["formed", "reinforce"]
    assert len(read_opinions(bank)) == 1
    check_replay(bank, old.id)


MONTHS = ("May", "June", "July")


def test_a_restatement_without_new_evidence_moves_nothing(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    old = believe(bank, FERRY, fact)
    for _ in range(2):
        new = believe(bank, FERRY, fact)
        assert (new.id, new.outcome, new.confidence) == (old.id, "restated", 0.7)
    assert list_causes(bank, old.id) == ["formed"]


def test_about_another_entity_it_is_another_opinion(bank: Bank) -> None:
    faro = see(bank, "The Faro ferry was on time all year.", "Faro")
    olhao = see(bank, "The Olhao ferry was on time all year.", "Olhao")
    believe(bank, FERRY, faro)
    assert believe(bank, "I think that the Olhao ferry is reliable.", olhao).outcome == "formed"
    assert len(read_opinions(bank)) == 2


@pytest.mark.parametrize(
    "other", ["I think that the Faro ferry is not reliable.", "I think that the Faro ferry is unreliable."]
)
def test_the_opposite_takes_its_place(bank: Bank, other: str) -> None:
    old = believe(bank, FERRY, see(bank, "The Faro ferry was on time all year.", "Faro ferry"))
    late = see(bank, "The Faro ferry came late every day.", "Faro ferry")
    new = believe(bank, other, late)
    assert (new.id, new.outcome, new.confidence_before, new.evidence_ids) == (old.id, "revised", 0.7, (late,))
    (held,) = read_opinions(bank)
    assert (held.text, list_causes(bank, old.id)) == (other, ["formed", "revised"])
    check_replay(bank, old.id)


def test_a_change_of_mind_revises_the_opinion_that_it_means(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    late = see(bank, "The Faro ferry came hours late in August.", "Faro ferry")
    old = believe(bank, FERRY, fact)
    vector = read_opinion(bank, old.id).embedding
    text = "Previously I thought that the Faro ferry is reliable, but now I think that it is too often late."
    new = believe(bank, text, late, confidence=0.6)
    assert (new.id, new.outcome, new.text, new.confidence) == (old.id, "revised", text, 0.6)
    assert (new.confidence_before, new.evidence_ids) == (0.7, (late,))
    opinion = read_opinion(bank, old.id)
    assert list(opinion.embedding) != list(vector)
    assert count_found(bank, "often late") == 2
    assert list_causes(bank, old.id) == ["formed", "revised"]
    check_replay(bank, old.id)
    assert believe(bank, text, late).outcome == "restated"


@pytest.mark.parametrize(
    "text",
    [
        "Previously I thought that the Faro ferry is reliable, but now I think that it is too often late.",
        "I think that the Faro ferry is not reliable.",
    ],
)
def test_a_pinned_one_that_the_agent_doubts_stays_and_is_queued_for_review(bank: Bank, text: str) -> None:
    old = believe(bank, FERRY, see(bank, "The Faro ferry was on time all year.", "Faro ferry"))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        review_opinion(bank, read_opinion(bank, old.id), Review(Act.PIN, "lea", "sure"))
    late = see(bank, "The Faro ferry came hours late in August.", "Faro ferry")
    for _ in range(2):
        new = believe(bank, text, late, confidence=0.6)
        assert (new.id, new.outcome, new.text, new.confidence) == (old.id, "pinned", FERRY, 0.7)
    (opinion,) = read_opinions(bank)
    assert (opinion.id, opinion.text, opinion.confidence, opinion.review) == (old.id, FERRY, 0.7, "pinned")
    step = read_steps(bank, old.id)[-1]
    assert (step.number, step.cause, step.evidence_id, step.step) == (3, "contradict", late, 0.0)
    assert step.reasoning == f"The agent thinks otherwise by now: {text}"
    check_replay(bank, old.id)
    with tenant_transaction(bank.tenant_id):
        assert Opinion.objects.of_bank(bank).concerning(Concern.CONTRADICTED).get().id == old.id


def test_refused_claims_are_counted_by_reason(bank: Bank, caplog: pytest.LogCaptureFixture) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    candidates = [
        CandidateOpinion(FERRY, 7, "", (fact,)),
        CandidateOpinion(FERRY, -1, "", (fact,)),
        CandidateOpinion("", 0.5, "", (fact,)),
        CandidateOpinion("x" * 1_001, 0.5, "", (fact,)),
        CandidateOpinion(FERRY, 0.5),
        CandidateOpinion(FERRY, 0.7, "", (fact,)),
    ]
    with caplog.at_level("INFO"):
        formation = try_to_form(bank, *candidates)
    assert formation.refused == {"confidence": 2, "empty": 1, "too_long": 1, "no_evidence": 1}
    assert [one.outcome for one in formation] == ["formed"]
    told = "5 opinions were not stored: 2 confidence, 1 empty, 1 no_evidence, 1 too_long."
    assert (describe_refused(formation.refused), told in caplog.messages) == (told, True)


def test_two_that_say_the_same_in_one_answer_are_one(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    candidate = CandidateOpinion(FERRY, 0.7, "", (fact,))
    assert [one.outcome for one in form(bank, candidate, candidate)] == ["formed", "restated"]
    assert len(read_opinions(bank)) == 1


def test_new_ones_of_one_answer_keep_their_order_their_evidence_and_their_reasons(bank: Bank) -> None:
    ferry, tram = see(bank, "The Faro ferry was on time all year."), see(bank, "Lisbon has trams.", "Lisbon")
    formed = form(
        bank,
        CandidateOpinion(FERRY, 0.7, "It was on time.", (ferry,)),
        CandidateOpinion("I think that trams are quick.", 0.6, "They have rails.", (tram,), ("Lisbon",)),
        CandidateOpinion(FERRY, 0.7, "Said again.", (ferry, tram)),
    )
    assert [(one.outcome, one.evidence_ids) for one in formed] == [
        ("formed", (ferry,)),
        ("formed", (tram,)),
        ("restated", (tram,)),
    ]
    with tenant_transaction(bank.tenant_id):
        begun = {one.text_after: one.reasoning for one in OpinionRevision.objects.of_bank(bank).filter(number=1)}
        about = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=list(formed)[1].id)
        assert [mention.name for mention in about] == ["Lisbon"]
    assert begun == {FERRY: "It was on time.", "I think that trams are quick.": "They have rails."}


def test_of_two_opposites_of_one_answer_the_later_is_held(bank: Bank) -> None:
    text, opposite = FERRY, "I think that the Faro ferry is unreliable."
    fact = see(bank, "The Faro ferry was on time all year.")
    formed = form(bank, *[CandidateOpinion(one, 0.7, "", (fact,)) for one in (text, opposite)])
    assert [one.outcome for one in formed] == ["formed", "revised"]
    assert [one.text for one in read_opinions(bank)] == [opposite]


@pytest.mark.parametrize(
    "texts",
    [
        ["I think that trams are quick.", "I find that soup warms.", "I believe that winters are long."],
        [
            "I think that the food at Mario's is excellent.",
            "I think that the service at Mario's is terrible.",
            "I think that the wine at Mario's is good.",
        ],
        [f"I think that the {part} ferry to Faro is quick and pleasant." for part in ("morning", "noon", "night")],
    ],
)
def test_three_new_ones_take_as_many_statements_as_one(bank: Bank, texts: list[str]) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro")
    counted = []
    for given in (["I think that the bicycles of Luca are cheap."], texts):
        with CaptureQueriesContext(connection) as queries:
            form(bank, *[CandidateOpinion(text, 0.7, "", (fact,)) for text in given])
        counted.append(len(queries))
    assert counted[1] <= counted[0]


def test_if_one_claim_can_not_be_stored_none_is(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")

    def fail_at_the_second(*args: Any, **named: Any) -> None:
        if read_opinions(bank)[1:]:
            raise RuntimeError
        write_formed(*args, **named)

    monkeypatch.setattr("reflection.opinions.forming.write_formed", fail_at_the_second)
    given = [CandidateOpinion(text, 0.7, "", (fact,)) for text in (FERRY, FERRY, "I think that trams are quick.")]
    with pytest.raises(RuntimeError):
        form(bank, *given)
    assert read_opinions(bank) == []


def test_an_observation_as_evidence_is_replaced_by_its_facts(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    summary = see(bank, "The ferry keeps to its timetable.", network=Network.OBSERVATION)
    with tenant_transaction(bank.tenant_id):
        UnitSource.objects.for_tenant(bank.tenant_id).create(unit_id=summary, role="summarises", other_unit_id=fact)
    assert believe(bank, FERRY, summary).evidence_ids == (fact,)


def test_it_names_a_few_entities_each_once(bank: Bank) -> None:
    names = tuple(f"Port {number // 2}" for number in range(100))
    text = f"I think that ferries are reliable in {', '.join(dict.fromkeys(names))}."
    formed = believe(bank, text, see(bank, "The ferry was on time all year."), entities=names)
    with tenant_transaction(bank.tenant_id):
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=formed.id)
        assert set(mentions.values_list("entity__name", flat=True)) == set(names[: 2 * MOST_ENTITIES])


@pytest.mark.parametrize("given", [("Lisbon",), ()])
def test_a_name_that_the_evidence_does_not_have_is_looked_up(bank: Bank, given: tuple[str, ...]) -> None:
    see(bank, "Lisbon has trams.", "Lisbon")
    fact = see(bank, "The Faro ferry was on time all year.")
    formed = believe(bank, "I think that Lisbon should have ferries.", fact, entities=given)
    with tenant_transaction(bank.tenant_id):
        names = (
            Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=formed.id).values_list("entity__name", flat=True)
        )
        assert list(names) == ["Lisbon"]
        assert Mention.objects.for_tenant(bank.tenant_id).filter(entity__name="Lisbon").count() == 2


ANN, BOB = "Ann repaired forty bikes in May.", "Bob sold twelve helmets in May."


@pytest.mark.parametrize(
    ("text", "reasoning", "given", "named"),
    [
        ("I think Ann is a better mechanic than Bob.", "Bob is clumsy.", ("Ann",), {"Ann", "Bob"}),
        ("I think Bob is honest.", "He looks so.", ("Ann",), {"Bob"}),
        ("I think Ann is honest.", "Bob is clumsy.", (), {"Ann"}),
        ("I think Ann is honest.", "Bob is clumsy.", ("Ann", "Bob"), {"Ann", "Bob"}),
        ("I think Ann is honest.", "She looks so.", ("Ann", "Zoe"), {"Ann"}),
        ("I think she is honest.", "She looks so.", ("Bob", "Zoe"), {"Ann"}),
    ],
)
def test_an_opinion_is_about_the_entities_that_it_names(
    bank: Bank, text: str, reasoning: str, given: tuple[str, ...], named: set[str]
) -> None:
    see(bank, BOB, "Bob")
    form(bank, CandidateOpinion(text, 0.7, reasoning, (see(bank, ANN, "Ann"),), given))
    with tenant_transaction(bank.tenant_id):
        opinions = Mention.objects.for_tenant(bank.tenant_id).filter(unit__network="opinion")
        assert set(opinions.values_list("entity__name", flat=True)) == named


@pytest.mark.parametrize(
    "text",
    [
        FERRY,
        "I think that the Faro ferry is not reliable.",
        "Previously I thought that the Faro ferry is reliable, but now I think that it is too often late.",
    ],
)
def test_held_opinions_stay_if_a_memory_of_the_prompt_was_deleted(bank: Bank, text: str) -> None:
    fact, gone = see(bank, "The Faro ferry was on time all year."), see(bank, "The captain has leukemia.")
    old = believe(bank, FERRY, fact)
    delete(bank, gone)
    late = see(bank, "The Faro ferry came hours late in August.")
    told = CandidateOpinion(text, 0.6, "The captain is ill.", (late, gone))
    formation = try_to_form(bank, told, shown=(fact, late, gone))
    assert (formation.opinions, formation.refused) == ((), {"deleted": 1})
    assert (read_opinion(bank, old.id).text, list_causes(bank, old.id)) == (FERRY, ["formed"])
    assert try_to_form(bank, told, shown=(fact, late)).refused == {}
