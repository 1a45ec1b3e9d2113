from datetime import datetime, timedelta, timezone

from django.db import models


class Spoken(models.Model):
    """Something that was said or written at a time, and where: "today" is the day of the one who says it."""

    said_at = models.DateTimeField()
    utc_offset = models.SmallIntegerField(default=0, help_text="Minutes east of Greenwich where it was said.")

    class Meta:
        abstract = True

    @property
    def said_locally(self) -> datetime:
        return self.said_at.astimezone(timezone(timedelta(minutes=self.utc_offset)))


def find_utc_offset(moment: datetime) -> int:
    offset = moment.utcoffset() or timedelta()
    return round(offset.total_seconds() / 60)
