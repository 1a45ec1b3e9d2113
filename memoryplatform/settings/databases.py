"""Database URLs as Django wants them."""

from typing import Any

from psycopg.conninfo import conninfo_to_dict


def parse_database_url(url: str, *, pool_size: int = 0) -> dict[str, Any]:
    """No connection outlives its request: it goes back to the pool, or is closed where there is none."""
    parts = conninfo_to_dict(url)
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    settings: dict[str, Any] = {name: str(parts.pop(key, None) or "") for name, key in names.items()}
    options: dict[str, Any] = {**parts, "connect_timeout": 10}
    if pool_size:
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 10}
    return settings | {
        "ENGINE": "django.db.backends.postgresql",
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
        "DISABLE_SERVER_SIDE_CURSORS": True,  # a pooler in transaction mode can't keep them
    }
