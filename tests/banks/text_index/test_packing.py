from hypothesis import given
from hypothesis import strategies as st

from banks.text_index.packing import LONGEST_TEXT, MOST_FREQUENT, build_postings, pack, unpack

VALUES = st.tuples(st.integers(0, 2**31 - 1), st.integers(1, 1000), st.booleans(), st.integers(1, 100_000))


@given(st.lists(VALUES))
def test_packed_values_are_capped(values: list[tuple[int, int, bool, int]]) -> None:
    packed = pack(build_postings(values))
    assert len(packed) == 8 * len(values)
    assert unpack(packed).tolist() == [
        (number, min(frequency, MOST_FREQUENT), retired, min(length, LONGEST_TEXT))
        for number, frequency, retired, length in values
    ]


def test_a_posting_begins_with_its_number_as_postgres_sends_it() -> None:
    assert pack(build_postings([(0x01020304, 1, False, 1)]))[:4] == b"\x01\x02\x03\x04"
