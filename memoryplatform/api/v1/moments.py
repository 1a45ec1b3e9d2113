"""Times as they come in."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from rest_framework import serializers

EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
FARTHEST_ZONE = timedelta(hours=16)  # that the database takes; on earth it is 14


def check_moment(value: datetime) -> None:
    if not EARLIEST <= value < LATEST:
        raise serializers.ValidationError("Must lie between the years 1900 and 2200.")
    if abs(value.utcoffset() or timedelta()) >= FARTHEST_ZONE:
        raise serializers.ValidationError("The offset from UTC must be less than 16 hours.")


class MomentField(serializers.DateTimeField):
    """A time between 1900 and 2200: what lies outside is a placeholder or a slip, and breaks arithmetic with zones."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs, validators=[check_moment])

    def enforce_timezone(self, value: datetime) -> datetime:
        """A zone that was given is kept: "today" is the day of the one who says it."""
        return super().enforce_timezone(value) if value.tzinfo is None else value

    def to_internal_value(self, value: Any) -> datetime:
        try:
            return super().to_internal_value(value)
        except OverflowError:
            raise serializers.ValidationError("Must lie between the years 1900 and 2200.") from None


class DayOrMomentField(MomentField):
    """A plain date stays one: which moments it holds hangs on the zone of whoever asks (`begin_day`)."""

    def to_internal_value(self, value: Any) -> Any:
        moment = super().to_internal_value(value)
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            return moment

    def run_validators(self, value: Any) -> None:
        super().run_validators(value if isinstance(value, datetime) else begin_day(value, UTC))


def begin_day(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time.min, tzinfo=zone)
