"""The answer-quality benchmark on tiny files, with a scripted reader and judge."""

import json
import re
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from benchmarks.management.commands.benchmark import write_arguments
from benchmarks.options import Options
from benchmarks.progress import Progress
from benchmarks.qa import suite
from benchmarks.qa.material import CHUNK_CHARACTERS, cut_sessions
from benchmarks.qa.options import QAOptions
from benchmarks.qa.prompts import ABSTENTION, LATEST, PREFERENCE, build_judge_prompt
from benchmarks.qa.questions import Conversation, choose_questions, read_conversations
from benchmarks.qa.report import measure
from benchmarks.recall.bootstrap import find_interval
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.settings.environment import ModelPrice
from tests.llm_server import Received, ScriptedLLM

SESSIONS = {
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I bought a red bicycle in Porto."},
        {"speaker": "Bruno", "dia_id": "D1:2", "text": "My sister plays the cello in an orchestra."},
    ],
    "session_2_date_time": "9:00 am on 20 June, 2023",
    "session_2": [
        {"speaker": "Ana", "dia_id": "D2:1", "text": "The tomatoes in my garden are ripe."},
        {"speaker": "Bruno", "dia_id": "D2:2", "text": "I start my new job at the harbour on Monday."},
    ],
}
LOCOMO = [
    {
        "sample_id": "conv-0",
        "conversation": SESSIONS,
        "qa": [
            {"question": "Who plays the cello?", "answer": "Bruno's sister", "evidence": ["D1:2"], "category": 4},
            {"question": "When does the job start?", "answer": "26 June 2023", "evidence": ["D2:2"], "category": 2},
            {"question": "What does Ana play?", "adversarial_answer": "the cello", "evidence": ["D1:2"], "category": 5},
        ],
    }
]
TALK = [
    [
        {"role": "user", "content": "I adopted a dog called Fado.", "has_answer": True},
        {"role": "assistant", "content": "Congratulations on the dog!"},
    ]
]
LONGMEMEVAL: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "What is my dog called?",
    "answer": "Fado",
    "question_date": "2023/05/30 (Tue) 23:40",
    "haystack_dates": ["2023/05/20 (Sat) 02:21"],
    "haystack_session_ids": ["s1"],
    "haystack_sessions": TALK,
}
ABSENT = LONGMEMEVAL | {"question_id": "q2_abs", "question": "What is my cat called?", "answer": "No cat is mentioned."}

ANSWERS = {
    "Who plays the cello?": "Bruno's sister plays it.",
    "When does the job start?": "In July.",
    "What does Ana play?": "That is not known.",
    "What is my dog called?": "Fado.",
    "What is my cat called?": "Your cat is called Fado.",
}
WRONG = {"In July.", "Your cat is called Fado."}
DELIMITER = re.compile(r"=====NOTES [0-9a-f]{12}=====")


def is_judge(received: Received) -> bool:
    return "You grade the answer" in received.prompt


def answer_by_script(received: Received) -> str:
    prompt = received.prompt
    if is_judge(received):
        wrong = any(f"| {one}" in prompt for one in WRONG)
        return json.dumps({"reason": "It was compared.", "correct": not wrong})
    (written,) = (text for question, text in ANSWERS.items() if f"| {question}" in prompt)
    delimiter = DELIMITER.search(prompt)
    return f'{written}\n{delimiter[0]}\n{{"in_memory": true, "opinions": []}}' if delimiter else written


@pytest.fixture
def model(llm_server: ScriptedLLM, settings: Settings) -> ScriptedLLM:
    settings.LLM_MAX_RETRIES = 0
    llm_server.chat.otherwise = answer_by_script
    return llm_server


@pytest.fixture
def options(tmp_path: Path, committed_db: None, redis_server: EmbeddedRedis, model: ScriptedLLM) -> Options:
    (tmp_path / "locomo-few.json").write_text(json.dumps(LOCOMO))
    qa = QAOptions(reader_url=model.url, reader_model="reader", judge_url=model.url, judge_model="judge", parallel=4)
    qa = replace(qa, mode="full-context")  # which retains nothing, so it is fast
    return Options(tmp_path, tmp_path / "out", progress=Progress(StringIO()), qa=qa)


def from_memory(options: Options, **more: Any) -> Options:
    return replace(options, qa=replace(options.qa, **{"mode": "recall", **more}))


def find_row(report: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in report["accuracy"] if row["questions of"] == name)


def test_locomo_is_read_and_judged_with_abstention_apart(options: Options, model: ScriptedLLM) -> None:
    report = suite.run(from_memory(options))
    assert find_row(report, "single-hop")["accuracy"] == 100.0
    assert find_row(report, "temporal")["accuracy"] == 0.0
    assert (find_row(report, "overall")["judged"], find_row(report, "overall")["right"]) == (2, 1)
    assert find_row(report, "abstention")["accuracy"] == 100.0
    reader = next(one for one in model.chat.received if not is_judge(one) and "| Who plays" in one.prompt)
    assert "Bruno: My sister plays the cello" in reader.prompt
    assert "Said on Monday, May 8, 2023:" in reader.prompt
    assert "Bruno's sister plays it." not in reader.prompt
    judge = next(one for one in model.chat.received if is_judge(one) and "| Who plays" in one.prompt)
    assert "orchestra" not in judge.prompt
    assert report["retain"]["source_tokens"] > 0
    assert report["retain"]["llm_tokens_per_source_token"] == 0


def test_longmemeval_counts_an_abstention_that_was_answered_as_wrong(options: Options, model: ScriptedLLM) -> None:
    (options.data / "locomo-few.json").unlink()
    (options.data / "longmemeval-few.json").write_text(json.dumps([LONGMEMEVAL, ABSENT]))
    report = suite.run(from_memory(options))
    assert any("- User: I adopted a dog called Fado." in one.prompt for one in model.chat.received)
    assert find_row(report, "single-session-user")["right"] == 1
    assert find_row(report, "abstention")["right"] == 0
    whole = {row["questions of"]: row["accuracy"] for row in report["accuracy_with_abstention_in_each_type"]}
    assert whole == {"single-session-user": 50.0, "overall": 50.0}


def test_every_mode_answers_with_the_same_reader(options: Options, model: ScriptedLLM) -> None:
    qa = replace(options.qa, mode="recall,reflect,rag,full-context")
    report = suite.run(replace(options, qa=qa, limit=1))
    assert [row["mode"] for row in report["per_question"] if row["role"] == "reader"] == qa.modes
    asked = [one for one in model.chat.received if not is_judge(one)]
    assert Counter(one.body["model"] for one in asked) == {"reader": 4}
    for block in ("memories", "evidence", "passages", "conversation"):
        assert sum(f"<{block} " in one.prompt for one in asked) == 1, block
    whole = next(one.prompt for one in asked if "<conversation " in one.prompt)
    assert all(turn["text"] in whole for name in ("session_1", "session_2") for turn in SESSIONS[name])  # type: ignore[index]


def test_a_second_run_asks_nothing_and_gives_the_same_report(options: Options, model: ScriptedLLM) -> None:
    both = from_memory(options, mode="recall,reflect")
    first = suite.run(both)
    asked = len(model.chat.received)
    second = suite.run(both)
    assert len(model.chat.received) == asked >= 9
    assert second["calls_of_this_run"] == 0
    assert second["accuracy"] == first["accuracy"]


def test_a_run_that_broke_off_asks_only_the_rest(options: Options, model: ScriptedLLM) -> None:
    suite.run(options)
    path = options.out / "locomo-few.jsonl"
    *kept, last = path.read_text().splitlines()
    path.write_text("\n".join([*kept, last[:50]]))
    asked = len(model.chat.received)
    suite.run(options)
    assert len(model.chat.received) == asked + 1
    assert path.read_text().count('"role"') >= 6


def test_another_model_is_asked_again(options: Options, model: ScriptedLLM) -> None:
    suite.run(options)
    asked = len(model.chat.received)
    suite.run(replace(options, qa=replace(options.qa, judge_model="another judge")))
    assert len(model.chat.received) == asked + 3


def test_the_record_has_every_prompt_with_its_answer(options: Options) -> None:
    suite.run(options)
    lines = [json.loads(line) for line in (options.out / "locomo-few.jsonl").read_text().splitlines()]
    assert Counter(line["role"] for line in lines) == {"reader": 3, "judge": 3}
    one = next(line for line in lines if line["question"] == "conv-0-0" and line["role"] == "reader")
    assert (one["mode"], one["model"], one["answer"]) == ("full-context", "reader", "Bruno's sister plays it.")
    assert [message["role"] for message in one["messages"]] == ["system", "user"]
    assert one["input_tokens"] > 0
    answers = [json.loads(line) for line in (options.out / "answers.jsonl").read_text().splitlines()]
    assert {one["question"]["id"]: one["correct"] for one in answers} == {
        "conv-0-0": True,
        "conv-0-1": False,
        "conv-0-2": True,
    }


def test_a_cap_stops_the_run_and_a_rerun_goes_on(options: Options, model: ScriptedLLM) -> None:
    one_by_one = replace(options.qa, parallel=1, token_cap=1_200)
    report = suite.run(replace(options, qa=one_by_one))
    assert "cap of 1200 tokens" in report["stopped"]
    assert 0 < report["questions"] < 3
    asked = len(model.chat.received)
    report = suite.run(replace(options, qa=replace(one_by_one, token_cap=None)))
    assert (report["stopped"], report["questions"]) == (None, 3)
    assert len(model.chat.received) == 6 > asked


def test_a_cap_of_cost_goes_by_the_prices(options: Options, model: ScriptedLLM, settings: Settings) -> None:
    with pytest.raises(CommandError, match="judge, reader"):
        suite.run(replace(options, qa=replace(options.qa, cost_cap=1.0)))
    price = ModelPrice(input="1000", output="1000")
    settings.MODEL_PRICES = {"reader": price, "judge": price}
    report = suite.run(replace(options, qa=replace(options.qa, cost_cap=0.01)))
    assert "cap of 0.01" in report["stopped"]
    assert model.chat.received == []
    report = suite.run(options)
    row = report["per_question"][0]
    assert row["cost"] == pytest.approx((row["input_tokens"] + row["output_tokens"]) / 1_000, rel=0.01)


def test_an_unusable_verdict_is_not_judged_and_asked_again(options: Options, model: ScriptedLLM) -> None:
    model.chat.otherwise = lambda received: "I would say yes." if is_judge(received) else answer_by_script(received)
    report = suite.run(options)
    row = find_row(report, "overall")
    assert (row["judged"], row["accuracy"], row["not judged"]) == (0, None, 2)
    model.chat.otherwise = answer_by_script
    asked = len(model.chat.received)
    assert find_row(suite.run(options), "overall")["judged"] == 2
    assert len(model.chat.received) == asked + 3


def test_an_endpoint_that_refuses_the_key_stops_the_run(options: Options, model: ScriptedLLM) -> None:
    model.chat.fail(401, times=99)
    report = suite.run(replace(options, qa=replace(options.qa, parallel=1)))
    assert report["stopped"] == "The endpoint answered 401."
    assert (report["questions"], len(model.chat.received)) == (0, 1)


def test_the_engine_llm_retains_with_the_configured_model(
    options: Options, llm: ScriptedLLM, model: ScriptedLLM
) -> None:
    """The built-in engine ignores a configured model. With --engine llm, retain asks it and the record has it."""
    llm.chat.otherwise = lambda _: json.dumps({"facts": []})
    suite.run(replace(from_memory(options), limit=1))
    assert llm.chat.received == []
    report = suite.run(replace(from_memory(options, engine="llm"), limit=1))
    assert llm.chat.received
    assert report["retain"]["llm_tokens_per_source_token"] > 0
    roles = {json.loads(line)["role"] for line in (options.out / "locomo-few.jsonl").read_text().splitlines()}
    assert "retain extract" in roles
    assert report["memory_in_this_run"][0]["role"] == "retain extract"


def test_reader_and_judge_are_the_configured_models_unless_named(options: Options, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = answer_by_script
    report = suite.run(replace(options, qa=QAOptions(mode="full-context")))
    assert (report["reader"], report["judge"]) == ("scripted", "scripted")
    assert report["retain"] == {}


def test_without_any_model_the_command_says_how_to_name_one(options: Options) -> None:
    with pytest.raises(CommandError, match="--reader-url"):
        suite.run(replace(options, qa=QAOptions()))


def test_the_options_survive_the_way_to_the_process_that_runs_them(options: Options) -> None:
    given = replace(options, qa=replace(options.qa, mode="rag,recall", token_cap=5, conversations="conv-0"), limit=2)
    seen: list[Options] = []

    def note(chosen: Options) -> dict[str, Any]:
        seen.append(chosen)
        return {}

    arguments = write_arguments("qa", given, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "run", note)
        call_command(*arguments, stdout=StringIO())
    assert seen[0].qa == given.qa
    assert seen[0].limit == 2


@pytest.mark.parametrize("bad", [{"mode": "guess"}, {"mode": ""}, {"reader_url": "http://x"}, {"parallel": 0}])
def test_bad_options_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(CommandError):
        QAOptions(**bad)


def build_conversations(tmp_path: Path) -> list[Conversation]:
    rows = [LOCOMO[0] | {"sample_id": f"conv-{place}", "qa": LOCOMO[0]["qa"] * 10} for place in range(3)]  # type: ignore[operator]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(rows))
    return read_conversations(path)


def test_a_limit_spreads_the_questions_over_the_file(tmp_path: Path) -> None:
    all_of_them = build_conversations(tmp_path)
    chosen = choose_questions(all_of_them, QAOptions(), 6)
    assert [len(one.questions) for one in chosen] == [2, 2, 2]
    assert choose_questions(all_of_them, QAOptions(), 6) == chosen
    assert choose_questions(all_of_them, QAOptions(seed=1), 6) != chosen
    assert sum(len(one.questions) for one in choose_questions(all_of_them, QAOptions(), 1_000)) == 90


def test_questions_are_chosen_by_conversation_and_type(tmp_path: Path) -> None:
    all_of_them = build_conversations(tmp_path)
    few = choose_questions(all_of_them, QAOptions(questions_per_type=2), None)
    assert Counter(one.type for each in few for one in each.questions) == {
        "single-hop": 2,
        "temporal": 2,
        "adversarial": 2,
    }
    named = choose_questions(all_of_them, QAOptions(conversations="conv-2,conv-0", types="temporal"), None)
    assert [one.case.name for one in named] == ["conv-2", "conv-0"]
    assert {one.type for each in named for one in each.questions} == {"temporal"}
    assert len(choose_questions(all_of_them, QAOptions(conversations="2"), None)) == 2
    with pytest.raises(CommandError, match="conv-9"):
        choose_questions(all_of_them, QAOptions(conversations="conv-9"), None)


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('[{"text": "x"}]')
    with pytest.raises(CommandError, match="neither"):
        read_conversations(tmp_path / "other.json")


def test_an_audit_marks_disputed_answers(tmp_path: Path) -> None:
    rows = [
        {"sample_id": "conv-0", "qa_index": 0, "error_type": "HALLUCINATION"},
        {"sample_id": "conv-0", "qa_index": 1, "error_type": "WRONG_CITATION"},
    ]
    (tmp_path / "locomo-audit.json").write_text(json.dumps(rows))
    (tmp_path / "locomo.json").write_text(json.dumps(LOCOMO))
    (conversation,) = read_conversations(tmp_path / "locomo.json")
    assert [one.is_disputed for one in conversation.questions] == [True, False, False]


def test_the_judge_has_a_rule_for_each_type(tmp_path: Path) -> None:
    types = {"knowledge-update": LATEST, "single-session-preference": PREFERENCE}
    rows = [LONGMEMEVAL | {"question_type": kind} for kind in types] + [ABSENT | {"question_type": "knowledge-update"}]
    (tmp_path / "longmemeval.json").write_text(json.dumps(rows))
    rules = [*types.values(), ABSTENTION]
    for conversation, rule in zip(read_conversations(tmp_path / "longmemeval.json"), rules, strict=True):
        system, user = build_judge_prompt(conversation.questions[0], "Fado")
        assert rule in system.content
        assert "| Fado" in user.content


def test_chunks_hold_whole_turns_of_one_session(tmp_path: Path) -> None:
    long = {"role": "user", "content": "word " * 700}
    row = LONGMEMEVAL | {
        "haystack_sessions": [[*TALK[0], long], TALK[0]],
        "haystack_dates": LONGMEMEVAL["haystack_dates"] * 2,
        "haystack_session_ids": ["s1", "s2"],
    }
    (tmp_path / "longmemeval.json").write_text(json.dumps([row]))
    (conversation,) = read_conversations(tmp_path / "longmemeval.json")
    passages = cut_sessions(conversation.case.turns)
    assert max(len(one.text) for one in passages) <= CHUNK_CHARACTERS + 1
    assert passages[-1].text == "user: I adopted a dog called Fado.\nassistant: Congratulations on the dog!"
    assert cut_sessions(()) == []


def test_intervals_have_known_values() -> None:
    assert find_interval([1.0] * 5) == [1.0, 1.0]
    low, high = find_interval([1.0] * 80 + [0.0] * 20)
    assert low == pytest.approx(0.72, abs=0.015)  # 0.8 - 1.96 * 0.04, the standard error of 80 of 100
    assert high == pytest.approx(0.88, abs=0.015)
    assert find_interval([1.0] * 80 + [0.0] * 20) == [low, high]
    assert measure([])["accuracy"] is None
