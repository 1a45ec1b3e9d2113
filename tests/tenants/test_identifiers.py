from datetime import UTC, datetime, timedelta

from tenants.identifiers import uuid7, uuid7_at

MOMENT = datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC)


def test_an_id_of_a_moment_is_a_uuid7_of_its_millisecond() -> None:
    made = uuid7_at(MOMENT)
    assert (made.version, made.variant) == (7, uuid7().variant)
    assert made.int >> 80 == round(MOMENT.timestamp() * 1000)


def test_ids_are_in_the_order_of_their_moments_and_never_the_same() -> None:
    earlier, later = uuid7_at(MOMENT), uuid7_at(MOMENT + timedelta(milliseconds=1))
    assert earlier < later
    assert uuid7_at(MOMENT) != earlier
