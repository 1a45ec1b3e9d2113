from datetime import datetime

from banks.dates.in_words import write_day_of_week


def heading(said_at: datetime) -> str:
    """Stands above a chunk where it is embedded or shown; no part of the chunk, so its spans and hash stay true."""
    return f"# {write_day_of_week(said_at)}"
