"""Candidates of an answer become opinions, join those that are there, or are refused."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Corpus, Mention, UnitSource
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.read import rank_texts
from banks.words import Network
from reflection.models import Opinion, OpinionRevision
from reflection.models.opinion import Concern
from reflection.opinions.forming.cleaning import MOST_ENTITIES, describe_refused
from reflection.opinions.history.revisions import write_formed
from reflection.opinions.review import Act, Review, review_opinion
from reflection.opinions.types import CandidateOpinion
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import (
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


@pytest.mark.parametrize(
    "text",
    [
        "I don't know whether the ferry is reliable.",
        "I do not have enough information about the ferry.",
        "There is not enough information to judge the ferry.",
        "I have no opinion on ferries.",
        "I can't say which ferry is better.",
        "I'm not sure if the ferry is reliable.",
        "It is hard to say whether the ferry is good.",
        "Is the ferry reliable?",
        "As an AI, I hold no views.",
        "I think no information about the ferry is available.",
        "Memory does not say whether the ferry is reliable.",
        "It is unclear whether the ferry is reliable.",
        "Nothing is known about the ferry.",
        "My memory holds nothing on ferries.",
        "Ich wei\u00df nicht, ob die F\u00e4hre gut ist.",
        "Je ne sais pas si le ferry est bon.",
        "",
        "...",
        "Previously I thought that the ferry is reliable, but I am not sure anymore.",
        "I used to think that the ferry is late, but now I think that I can't say.",
        "The user thinks that the ferry is reliable.",
        "I'm not sure any more.",
        "I don't have a clear opinion on the ferry.",
        "I can't tell for sure.",
        "As an assistant, I don't judge ferries.",
        "There is no evidence that the ferry is reliable.",
        "It remains open which ferry is better.",
        "Ana believes that the ferry is reliable.",
        "My boss thinks that the ferry is reliable.",
        "Our old neighbours believe the ferry is reliable.",
        "The speaker is of two minds.",
        "I think " + "x" * 1_000,
    ],
)
def test_what_is_no_opinion_of_the_agent_is_refused(bank: Bank, text: str) -> None:
    fact = see(bank, "The ferry was on time.")
    assert form(bank, CandidateOpinion(text, 0.7, "", (fact,))) == []


@pytest.mark.parametrize(
    "text",
    [
        "I think the ferry is not known for its food.",
        "I think there is no better ferry.",
        "I don't think the ferry is reliable.",
        "I think the captain's memory is excellent.",
        "I think there is no excuse for lateness.",
        "I think Bob's notes don't include enough detail to be useful.",
        "I think Dana does great work as an assistant.",
        "I don't have any doubt that Dana is reliable.",
        "I don't have much trust in Acme.",
        "I cannot say enough good things about Dana.",
        "I think it is hard to say no to Dana.",
        "I think Dana is open when she is asked.",
        "I think Dana is unclear when she explains things.",
        "I think Dana has no opinion of her own.",
        "I think there is no data loss in Postgres.",
        "I see no evidence against Dana, so I trust her.",
        "My gut feels that the ferry is safe.",
        "Dana hat keine Ahnung von Motoren.",
    ],
)
def test_a_judgement_with_a_denial_is_an_opinion(bank: Bank, text: str) -> None:
    assert believe(bank, text, see(bank, "The ferry was on time.")).text == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The speaker thinks that the ferry is reliable.", "I think that the ferry is reliable."),
        ("The assistant strongly believes the ferry is safe.", "I strongly believe the ferry is safe."),
        ("The agent's view is that the ferry is good.", "I think that the ferry is good."),
        ("Caroline is great.", "I think Caroline is great."),
    ],
)
def test_it_is_told_by_the_one_who_holds_it(bank: Bank, text: str, told: str) -> None:
    fact = see(bank, "The ferry was on time.")
    assert believe(bank, text, fact).text == told


def test_without_evidence_that_is_there_nothing_is_formed(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    belief = believe(bank, FERRY, fact)
    assert form(bank, CandidateOpinion("I think that trams are good.", 0.7, "", (uuid4(),))) == []
    assert form(bank, CandidateOpinion("I think that trams are good.", 0.7, "", (belief.id,))) == []
    assert form(bank, CandidateOpinion("I think that trams are good.", 0.7)) == []


def test_what_is_so_only_from_a_day_to_come_is_no_evidence(bank: Bank) -> None:
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


@pytest.mark.parametrize("again", [FERRY, "The Faro ferry is reliable", "I believe the Faro ferry is really reliable."])
def test_said_again_with_new_evidence_it_moves_by_one_step(bank: Bank, again: str) -> None:
    first, second, third = (see(bank, f"The Faro ferry was on time in {month}.", "Faro ferry") for month in MONTHS)
    old = believe(bank, FERRY, first)
    new = believe(bank, again, first, second, third, confidence=0.2)
    assert (new.id, new.outcome, new.text) == (old.id, "restated", FERRY)
    assert (new.confidence_before, new.confidence, new.evidence_ids) == (0.7, 0.85, (second, third))
    assert list_causes(bank, old.id) == ["formed", "reinforce"]
    assert len(read_opinions(bank)) == 1
    check_replay(bank, old.id)


MONTHS = ("May", "June", "July")


def test_said_again_without_new_evidence_nothing_moves(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    old = believe(bank, FERRY, fact)
    for _ in range(2):
        new = believe(bank, FERRY, fact)
        assert (new.id, new.outcome, new.confidence) == (old.id, "restated", 0.7)
    assert list_causes(bank, old.id) == ["formed"]


def test_of_another_thing_it_is_another_opinion(bank: Bank) -> None:
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


def test_who_is_better_than_whom_is_not_turned_round(bank: Bank) -> None:
    fact = see(bank, "Python and Julia were compared.", "Python", "Julia")
    believe(bank, "I think that Python is better than Julia.", fact)
    assert believe(bank, "I think that Julia is better than Python.", fact).outcome == "formed"


def test_what_a_reason_denies_hides_no_opinion_that_a_change_of_mind_means(bank: Bank) -> None:
    shut = see(bank, "The Zorba lock was never opened by a thief.", "Zorba")
    opened = see(bank, "A thief opened the Zorba lock in a minute.", "Zorba")
    old = believe(bank, "I think the Zorba lock is safe because no thief ever opened it.", shut)
    text = "I think the Zorba lock is unsafe because a thief opened it in a minute."
    new = believe(bank, f"Previously I thought the Zorba lock is safe, but now {text}", opened)
    assert (new.id, new.outcome) == (old.id, "revised")


def test_a_change_of_mind_revises_the_opinion_that_it_means(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    late = see(bank, "The Faro ferry came hours late in August.", "Faro ferry")
    old = believe(bank, FERRY, fact)
    vector = read_opinion(bank, old.id).embedding
    text = "Previously I thought that the Faro ferry is reliable, but now I think that it is too often late."
    new = believe(bank, text, late, confidence=0.6)
    told = "I think that the Faro ferry is too often late."
    assert (new.id, new.outcome, new.text, new.confidence) == (old.id, "revised", told, 0.6)
    assert (new.confidence_before, new.evidence_ids) == (0.7, (late,))
    opinion = read_opinion(bank, old.id)
    assert list(opinion.embedding) != list(vector)
    assert count_found(bank, "reliable") == 0
    assert count_found(bank, "often late") == 2
    assert list_causes(bank, old.id) == ["formed", "revised"]
    check_replay(bank, old.id)
    assert believe(bank, told, late).outcome == "restated"


def test_a_change_of_mind_to_what_another_opinion_says_unites_the_two(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.", "Faro ferry")
    one = believe(bank, FERRY, fact)
    other = believe(bank, "I think that ferries are overpriced.", fact)
    text = "I used to think that the Faro ferry is reliable, but now I think that ferries are overpriced."
    new = believe(bank, text, fact)
    assert (new.id, new.outcome) == (other.id, "revised")
    assert [opinion.id for opinion in read_opinions(bank)] == [other.id]
    assert read_opinion(bank, one.id).superseded_by_id == other.id
    check_replay(bank, other.id)


def test_a_change_of_mind_about_nothing_that_is_held_is_a_new_opinion(bank: Bank) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    formed = believe(bank, "Before, I thought that trams are slow, but now I believe that trams are quick.", fact)
    assert (formed.outcome, formed.text) == ("formed", "I believe that trams are quick.")


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
    assert step.reasoning.startswith("The agent thinks otherwise by now: I think that the Faro ferry is ")
    check_replay(bank, old.id)
    with tenant_transaction(bank.tenant_id):
        assert Opinion.objects.of_bank(bank).concerning(Concern.CONTRADICTED).get().id == old.id


def test_what_is_refused_is_counted_with_its_reasons(bank: Bank, caplog: pytest.LogCaptureFixture) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")
    candidates = [
        CandidateOpinion(FERRY, 7, "", (fact,)),
        CandidateOpinion(FERRY, -1, "", (fact,)),
        CandidateOpinion("", 0.5, "", (fact,)),
        CandidateOpinion("I don't know about the ferry.", 0.5, "", (fact,)),
        CandidateOpinion("Ana thinks that it is late.", 0.5, "", (fact,)),
        CandidateOpinion(FERRY, 0.5),
        CandidateOpinion(FERRY, 0.7, "", (fact,)),
    ]
    with caplog.at_level("INFO"):
        formation = try_to_form(bank, *candidates)
    assert formation.refused == {"confidence": 2, "no_opinion": 2, "not_its_own": 1, "no_evidence": 1}
    assert [one.outcome for one in formation] == ["formed"]
    told = "6 opinions were not stored: 2 confidence, 1 no_evidence, 2 no_opinion, 1 not_its_own."
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


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        (FERRY, "I think that the Faro ferry is unreliable."),
        ("I think that Dana is a brilliant mechanic.", "I think that Dana is a dreadful mechanic."),
    ],
)
def test_of_two_opposites_of_one_answer_the_later_is_held(bank: Bank, text: str, opposite: str) -> None:
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


def test_where_one_can_not_be_stored_none_is(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    fact = see(bank, "The Faro ferry was on time all year.")

    def fail_at_the_second(*args: Any, **named: Any) -> None:
        if read_opinions(bank)[1:]:
            raise RuntimeError
        write_formed(*args, **named)

    monkeypatch.setattr("reflection.opinions.forming.storing.write_formed", fail_at_the_second)
    given = [CandidateOpinion(text, 0.7, "", (fact,)) for text in (FERRY, FERRY, "I think that trams are quick.")]
    with pytest.raises(RuntimeError):
        form(bank, *given)
    assert read_opinions(bank) == []


def test_an_observation_as_evidence_stands_for_what_it_sums_up(bank: Bank) -> None:
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
def test_it_speaks_of_those_whom_it_names_whoever_is_given(
    bank: Bank, text: str, reasoning: str, given: tuple[str, ...], named: set[str]
) -> None:
    see(bank, BOB, "Bob")
    form(bank, CandidateOpinion(text, 0.7, reasoning, (see(bank, ANN, "Ann"),), given))
    with tenant_transaction(bank.tenant_id):
        opinions = Mention.objects.for_tenant(bank.tenant_id).filter(unit__network="opinion")
        assert set(opinions.values_list("entity__name", flat=True)) == named


@pytest.mark.parametrize(
    ("text", "times"),
    [("I think Ann and Zoe are busy.", 0), ("I think that helmets are dear.", 0), ("I think Ann and Bob are slow.", 1)],
)
def test_only_names_that_its_evidence_does_not_have_are_looked_up(bank: Bank, text: str, times: int) -> None:
    facts = see(bank, ANN, "Ann"), see(bank, "Zoe Lee cleaned her bike.", "Zoe Lee")
    with CaptureQueriesContext(connection) as queries:
        form(bank, CandidateOpinion(text, 0.7, "", facts, ("Ann",)))
    assert sum('"normalised_name" IN' in query["sql"] for query in queries) == times


@pytest.mark.parametrize(
    "text",
    [
        FERRY,
        "I think that the Faro ferry is not reliable.",
        "Previously I thought that the Faro ferry is reliable, but now I think that it is too often late.",
    ],
)
def test_what_is_held_stays_where_something_was_deleted_that_the_author_had_read(bank: Bank, text: str) -> None:
    fact, gone = see(bank, "The Faro ferry was on time all year."), see(bank, "The captain has leukemia.")
    old = believe(bank, FERRY, fact)
    delete(bank, gone)
    late = see(bank, "The Faro ferry came hours late in August.")
    told = CandidateOpinion(text, 0.6, "The captain is ill.", (late, gone))
    formation = try_to_form(bank, told, shown=(fact, late, gone))
    assert (formation.opinions, formation.refused) == ((), {"deleted": 1})
    assert (read_opinion(bank, old.id).text, list_causes(bank, old.id)) == (FERRY, ["formed"])
    assert try_to_form(bank, told, shown=(fact, late)).refused == {}
