from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from banks.models import Bank, Corpus, CorpusStatistics, MemoryUnit, PostingBlock
from banks.text_index import rebuild
from banks.text_index.rebuild import rebuild_corpus
from tenants.transactions import tenant_transaction
from tests.banks.text_index.reference import check_index, numbers_of, read_index, store_and_index, store_units
from tests.factories import make_bank, make_tenant


def test_rows_from_before_the_index_are_found_and_the_expired_are_retired(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "BATCH", 3)
    ids = store_units(bank, [f"Tom saw bird {number}." for number in range(8)])
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.of_bank(bank).filter(id=ids[2]).update(expired_at=timezone.now(), close_reason="update")
    assert rebuild_corpus(bank, Corpus.UNIT) == 8
    assert [number for number, *_ in read_index(bank)["bird"]] == list(range(8))
    assert [retired for _, _, retired, _ in read_index(bank)["bird"]] == [False, False, True] + [False] * 5
    check_index(bank)


def test_a_broken_index_is_rebuilt_under_new_numbers(bank: Bank) -> None:
    store_and_index(bank, ["Tom likes cars.", "Anna likes tea."])
    with tenant_transaction(bank.tenant_id):
        PostingBlock.objects.for_tenant(bank.tenant_id).filter(lexeme="like").update(lexeme="nonsense")
        CorpusStatistics.objects.for_tenant(bank.tenant_id).update(texts=77)
    rebuild_corpus(bank, Corpus.UNIT)
    assert list(numbers_of(bank).values()) == [2, 3]
    assert "nonsense" not in read_index(bank)
    check_index(bank)


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("rebuild_text_index", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_goes_through_all_tenants_or_one_bank(committed_db: None) -> None:
    first, second = (make_bank(make_tenant(slug), bank_id=f"of-{slug}") for slug in ("acme", "zeta"))
    for bank in (first, second):
        store_units(bank, ["Tom likes cars.", "Anna likes tea."])
    assert run("--bank", "of-zeta") == "of-zeta: 2 rows\n"
    assert (bool(read_index(first)), bool(read_index(second))) == (False, True)
    assert run() == "of-acme: 2 rows\nof-zeta: 2 rows\n"
    check_index(first)
    check_index(second)


@pytest.mark.parametrize("arguments", [("--bank", "unknown"), ("--tenant", "unknown"), ("--tenant", "acme")])
def test_the_command_says_when_there_is_no_such_bank(committed_db: None, arguments: tuple[str, ...]) -> None:
    make_tenant("acme")
    with pytest.raises(CommandError, match="no such bank"):
        run(*arguments)
