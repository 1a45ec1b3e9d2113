"""`benchmark qa`: retain, then recall or reflect, a reader that answers, and a judge that compares with the gold."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connections

from banks.models import Bank
from benchmarks.options import Options
from benchmarks.qa.material import (
    Chunks,
    build_recall_query,
    write_conversation,
    write_memories,
    write_passages,
)
from benchmarks.qa.memory import Models, read_retain_usage, retain_conversation, serving
from benchmarks.qa.options import QAOptions
from benchmarks.qa.prompts import Verdict, build_judge_prompt, build_reader_prompt
from benchmarks.qa.questions import Conversation, Question, choose_questions, read_conversations
from benchmarks.qa.record import Record, RecordedLLM, Stopped
from benchmarks.qa.report import Result, RetainedBank, build_report, write_answers
from benchmarks.recall.locomo_data import AUDIT
from benchmarks.tenant import RetainFailed, make_access
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import recall
from memoryplatform.operations.reflect import build_tools
from providers import registry, tokens
from providers.llm.errors import LLMError, LLMTimeout, concerns_content
from providers.llm.protocol import LLM, ChatMessage, Task
from reflection.reflect.reflect import reflect
from reflection.reflect.types import BOUNDS, ReflectQuery

FROM_MEMORY = {"recall", "reflect"}
Answer = Callable[[LLM], str]  # asks the reader


def run(options: Options) -> dict[str, Any]:
    qa = options.qa
    path = options.require("locomo*.json", "longmemeval*.json.xz", "*.json.xz", "*.json", without=AUDIT)
    chosen = choose_questions(read_conversations(path), qa, options.limit)
    if not chosen:
        raise CommandError("No question of the data is chosen.")
    models = choose_models(qa)
    record = Record(options.out / f"{path.name.partition('.')[0]}.jsonl", qa.token_cap, qa.cost_cap)
    session = Session(options, record, models)
    results = session.ask(chosen)
    write_answers(options.out / "answers.jsonl", results)
    names: dict[str, Any] = {"data": path.name, "reader": models.reader.model_id, "judge": models.judge.model_id}
    names |= {"engine": qa.engine, "tokens": qa.tokens, "budget": qa.budget, "top_k": qa.top_k, "seed": qa.seed}
    return build_report(results, record, session.banks, {**names, "incomplete_recalls": session.incomplete_recalls})


@dataclass(frozen=True)
class ChosenModels:
    """`memory` are the models of retain and recall; empty for the built-in engine."""

    reader: LLM
    judge: LLM
    memory: Models


def choose_models(qa: QAOptions) -> ChosenModels:
    configured = {task: llm for task in Task if (llm := registry.find_llm(task)) is not None}
    if qa.engine == "llm" and not configured:
        raise CommandError("--engine llm needs LLM_BASE_URL and LLM_MODEL.")
    chosen = ChosenModels(
        choose_model("reader", qa.reader_url, qa.reader_model, configured.get(Task.REFLECT), qa),
        choose_model("judge", qa.judge_url, qa.judge_model, configured.get(Task.JUDGE), qa),
        configured if qa.engine == "llm" else {},
    )
    if qa.cost_cap is not None:
        names = {one.model_id for one in (chosen.reader, chosen.judge, *chosen.memory.values())}
        if unpriced := sorted(names - set(settings.MODEL_PRICES)):
            raise CommandError(f"--cost-cap needs prices in MODEL_PRICES of: {', '.join(unpriced)}.")
    return chosen


def choose_model(role: str, url: str | None, model: str | None, configured: LLM | None, qa: QAOptions) -> LLM:
    if not url or not model:
        if configured is None:
            raise CommandError(f"Name the {role} with --{role}-url and --{role}-model, or configure LLM_*.")
        return configured
    from providers.llm.openai import OpenAILLM  # loads for a second

    config = registry.build_config(url, os.environ.get(f"{role.upper()}_API_KEY"), qa.timeout)
    return OpenAILLM(replace(config, max_concurrency=qa.parallel), model=model)


@dataclass
class Session:
    """Conversations one after the other; the readers and judges of their questions work in parallel meanwhile."""

    options: Options
    record: Record
    models: ChosenModels

    def __post_init__(self) -> None:
        self.banks: list[RetainedBank] = []
        self.incomplete_recalls = 0  # without a channel that took too long, so another run may see more

    @property
    def qa(self) -> QAOptions:
        return self.options.qa

    @cached_property
    def access(self) -> BankAccess:
        return make_access(keep=self.options.keep)

    def ask(self, conversations: Sequence[Conversation]) -> list[Result]:
        """Questions that the run did not come to have no result."""
        futures: list[Future[Result | None]] = []
        with ThreadPoolExecutor(self.qa.parallel, thread_name_prefix="qa") as pool:
            try:
                for conversation in self.options.progress.over(conversations, "conversations"):
                    for question, mode, answer in self._prepare(conversation):
                        futures.append(pool.submit(self._answer, question, mode, answer))
                for future in self.options.progress.over(futures, "answers"):
                    future.result()
            except BaseException:
                self.record.stop("The run was interrupted.")
                raise
        return [result for future in futures if (result := future.result()) is not None]

    def _prepare(self, conversation: Conversation) -> Iterator[tuple[Question, str, Answer]]:
        if self.record.stopped:
            return
        bank = None
        if FROM_MEMORY.intersection(self.qa.modes):
            bank = self._retain(conversation)
            if bank is None:
                return
        chunks = Chunks(conversation.case) if "rag" in self.qa.modes else None
        for question in conversation.questions:
            for mode in self.qa.modes:
                yield question, mode, self._build_answer(mode, question, conversation, bank, chunks)

    def _retain(self, conversation: Conversation) -> Bank | None:
        """None if the run was stopped meanwhile."""
        try:
            with serving(self.models.memory, self.record, "retain"):
                bank = retain_conversation(self.access, conversation.case, self.models.memory)
        except RetainFailed:
            if self.record.stopped:
                return None
            raise
        turns = conversation.case.turns
        source, sessions = sum(tokens.count(one.text) for one in turns), len({one.session for one in turns})
        self.banks.append(RetainedBank(bank.bank_id, source, sessions, read_retain_usage(bank)))
        return bank

    def _build_answer(
        self, mode: str, question: Question, conversation: Conversation, bank: Bank | None, chunks: Chunks | None
    ) -> Answer:
        if mode == "reflect" and bank is not None:
            return partial(self._reflect, question, bank)
        if mode == "recall" and bank is not None:
            with serving(self.models.memory, self.record, "recall"):
                query = build_recall_query(
                    question.text, question.asked_at, tokens=self.qa.tokens, budget=self.qa.budget
                )
                result = recall(self.access, [bank.bank_id], query).result
            self.incomplete_recalls += bool(result.left_out)
            return partial(read, build_reader_prompt("memories", write_memories(result.items), question))
        if mode == "rag" and chunks is not None:
            lines = write_passages(chunks.find_nearest(question.text, self.qa.top_k))
            return partial(read, build_reader_prompt("passages", lines, question))
        return partial(read, build_reader_prompt("conversation", write_conversation(conversation.case), question))

    def _reflect(self, question: Question, bank: Bank, reader: LLM) -> str:
        """Without new opinions, which later questions would find."""
        query = ReflectQuery(
            build_recall_query(question.text, question.asked_at, tokens=self.qa.tokens, budget=self.qa.budget),
            bounds=replace(BOUNDS[self.qa.budget], seconds=self.qa.timeout),
            looks_wider=self.qa.budget != "low",
            forms_opinions=False,
        )
        try:
            return reflect(bank, query, replace(build_tools(self.access, bank), llm=reader)).text
        finally:
            connections.close_all()  # of this thread

    def _answer(self, question: Question, mode: str, answer: Answer) -> Result | None:
        """None if the run was stopped. A failure of the endpoint stops it, a failure on one text does not."""
        written = ""
        try:
            written = answer(self._recorded(self.models.reader, "reader", question, mode))
            judge = self._recorded(self.models.judge, "judge", question, mode)
            verdict = judge.complete_as(Verdict, build_judge_prompt(question, written), temperature=0.0).value
        except Stopped:
            return None
        except LLMError as error:
            if not isinstance(error, LLMTimeout) and not concerns_content(error):
                self.record.stop(str(error))
                return None
            return Result(question, mode, written, None, str(error))
        return Result(question, mode, written, verdict.correct, verdict.reason)

    def _recorded(self, llm: LLM, role: str, question: Question, mode: str) -> RecordedLLM:
        return RecordedLLM(llm, self.record, role, question.id, mode, self.qa.timeout)


def read(prompt: Sequence[ChatMessage], reader: LLM) -> str:
    return reader.complete(prompt, temperature=0.0).text.strip()
