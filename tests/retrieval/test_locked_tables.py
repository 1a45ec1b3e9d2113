"""If another transaction locks a table, recall still returns the other channels' results within bounded time."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic

import pytest
from django.db import OperationalError, connections, transaction
from pytest_django.fixtures import Settings

from memoryplatform.operations import recall as recall_use_case
from memoryplatform.operations.access import BankAccess
from providers.reranking.none import NoReranker
from retrieval import statements
from retrieval.errors import NothingSearched
from retrieval.recall import RecallTools, recall, recall_across
from retrieval.statements import read_rows
from retrieval.types import Budget, Channel, Include, Part, RecallQuery, RecallResult
from tests.clock import holds_to_a_time
from tests.factories import make_bank, make_tenant
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW, Memory

SHARE = 0.4
MOST = SHARE * statements.SHARES + 0.6  # plus a margin for a busy machine
BUDGET = Budget(nodes=100, rerank_depth=8, rerank_seconds=0.0)
ABOUT_TIME = RecallQuery("What boats did Maria buy on 14 June 2026?", NOW, budget=BUDGET)
PLAIN = RecallQuery("What boats did Maria buy?", NOW, budget=BUDGET)


@contextmanager
def locked(table: str) -> Iterator[None]:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.fixture
def memory(committed_db: None, settings: Settings) -> Memory:
    settings.RECALL_STATEMENT_SECONDS = SHARE
    memory = Memory(make_bank(make_tenant("acme")))
    memory.quote(memory.unit("Maria buy boats"), memory.message("I buy boats."))
    memory.unit("Maria buy boats What did")
    memory.chunk(text="boats that Maria might buy")
    return memory


@pytest.fixture
def tools() -> Iterator[RecallTools]:
    with ThreadPoolExecutor(4) as executor:
        yield RecallTools(WordEmbedder(), NoReranker(), executor=executor)


def ask(memory: Memory, query: RecallQuery, tools: RecallTools) -> RecallResult:
    started = monotonic()
    result = recall(memory.bank, query, tools)
    assert monotonic() - started < MOST
    return result


@holds_to_a_time
@pytest.mark.parametrize("table", ["banks_relationship", "banks_episode", "banks_link"])
def test_a_question_that_needs_a_table_not_loses_nothing(memory: Memory, tools: RecallTools, table: str) -> None:
    with locked(table):
        result = ask(memory, ABOUT_TIME, tools)
    assert (result.left_out, len(result.items)) == ((), 3)


@holds_to_a_time
@pytest.mark.parametrize("query", [ABOUT_TIME, PLAIN])
def test_without_names_and_archive_the_units_are_still_found(
    memory: Memory, tools: RecallTools, query: RecallQuery
) -> None:
    with locked("banks_entityname"):
        result = ask(memory, query, tools)
    left_out = {one.channel for one in result.left_out}
    assert left_out <= {Channel.ARCHIVE, Channel.ARCHIVE_WORDS, Channel.SUMMARIES}
    assert set(result.items[0].scores.places) >= {Channel.SEMANTIC, Channel.KEYWORD}


@holds_to_a_time
def test_units_that_were_asked_for_with_the_archive_are_asked_for_again(memory: Memory, tools: RecallTools) -> None:
    """For a query with a window and of another type, one statement searches all corpora."""
    query = RecallQuery("How many boats did Maria buy yesterday?", NOW, budget=BUDGET)
    with locked("banks_episode"):
        result = ask(memory, query, tools)
    assert Channel.SUMMARIES in {one.channel for one in result.left_out}
    assert not {Channel.SEMANTIC, Channel.KEYWORD, Channel.TEMPORAL} & {one.channel for one in result.left_out}
    assert set(result.items[0].scores.places) >= {Channel.SEMANTIC, Channel.KEYWORD}


@holds_to_a_time
def test_a_late_included_part_is_named(memory: Memory, tools: RecallTools) -> None:
    query = RecallQuery(ABOUT_TIME.text, NOW, budget=BUDGET, include=Include(entities=500, links=True))
    with locked("banks_link"):
        result = ask(memory, query, tools)
    assert len(result.items) == 3
    assert [(one.channel, one.reason, one.bank_id) for one in result.left_out] == [
        (Part.LINKS, "It took longer than its share of time.", None)
    ]


def refuse_in_time(work: Callable[[], object]) -> None:
    started = monotonic()
    with pytest.raises(NothingSearched):
        work()
    assert monotonic() - started < MOST


@holds_to_a_time
@pytest.mark.parametrize(
    "table", ["banks_mention", "banks_entity", "banks_unittag", "banks_message", "banks_memoryunit"]
)
def test_unreadable_candidates_are_refused_in_time(memory: Memory, tools: RecallTools, table: str) -> None:
    with locked(table):
        refuse_in_time(lambda: recall(memory.bank, ABOUT_TIME, tools))


@holds_to_a_time
def test_a_bank_that_can_not_be_looked_up_is_refused_in_time(memory: Memory) -> None:
    access = BankAccess(memory.bank.tenant_id)
    with locked("banks_bank"):
        refuse_in_time(lambda: recall_use_case.load_banks(access, [memory.bank.bank_id]))


@holds_to_a_time
def test_the_waits_of_many_banks_do_not_add_up(memory: Memory, tools: RecallTools) -> None:
    banks = [memory.bank, *[make_bank(memory.tenant) for _ in range(7)]]
    with locked("banks_memoryunit"):
        refuse_in_time(lambda: recall_across(banks, PLAIN, tools))


def test_a_channel_of_several_banks_is_left_out_by_bank(memory: Memory, tools: RecallTools) -> None:
    banks = [memory.bank, make_bank(memory.tenant, bank_id="other")]
    with locked("banks_link"):
        left_out = recall_across(banks, PLAIN, tools).left_out
    assert {(one.channel, one.bank_id) for one in left_out} == {(Channel.GRAPH, memory.bank.bank_id)}


def test_a_statement_that_could_not_be_prepared_harms_no_later_request(memory: Memory) -> None:
    def count() -> int:
        statement = "SELECT count(*) FROM banks_mention WHERE tenant_id = $1"
        rows = read_rows(memory.tenant.id, statement, [memory.tenant.id], within_seconds=SHARE, keeps_plan=True)
        return len(rows)

    assert count() == 1
    with locked("banks_mention"), pytest.raises(OperationalError):
        count()  # the second call uses a prepared statement
    assert [count() for _ in range(3)] == [1, 1, 1]
