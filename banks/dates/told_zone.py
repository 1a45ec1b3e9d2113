"""The zone in which the days of something were told: "on April 25" is the 25th for all, wherever one asks from."""

from datetime import UTC, datetime, time, timedelta, timezone, tzinfo

DAY = timedelta(days=1)
SLACK = timedelta(minutes=1)  # of an end that was given as the last minute or second of its day
MIDNIGHT = time()
QUARTER = 15  # minutes: the steps in which the zones of the earth differ
FARTHEST_WEST = timedelta(hours=10)  # of Greenwich: Hawaii. New Zealand, the farthest east, is 13 hours before it


def find_zone(start: datetime, end: datetime | None, zone: tzinfo | None) -> tzinfo | None:
    """The one in which the days of an interval are told: `zone`, that of the question, for anything but whole days.

    Of whole days it is the one in which they begin at midnight, as they were read in the speaker's. Of a start without
    an end only midnight in UTC counts, as which a plain date is stored: in another zone it may be any moment.
    """
    start = localise(start, UTC)
    if end is None or end == start:
        return UTC if start.time() == MIDNIGHT else zone
    if not is_whole_days(start, end) or localise(start, zone).time() == MIDNIGHT:
        return zone
    since_midnight = start - start.replace(hour=0, minute=0)
    return timezone(-since_midnight if since_midnight <= FARTHEST_WEST else DAY - since_midnight)


def is_whole_days(start: datetime, end: datetime) -> bool:
    begins_a_day_somewhere = start.minute % QUARTER == start.second == start.microsecond == 0
    return begins_a_day_somewhere and end - start >= DAY - SLACK and (end - start + SLACK) % DAY <= SLACK


def localise(moment: datetime, zone: tzinfo | None) -> datetime:
    """A moment at the edge of the calendar has no day in another zone and stays as it is."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
