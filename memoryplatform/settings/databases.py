"""Database URLs as Django wants them."""

from typing import Any

from psycopg.conninfo import conninfo_to_dict

# In seconds. Firewalls and balancers drop what is silent, most after some minutes, and tell neither end.
KEEPALIVES = {"keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 3}


def parse_database_url(url: str, *, pool_size: int = 0) -> dict[str, Any]:
    """No connection outlives its request: it goes back to the pool, or is closed where there is none."""
    parts = conninfo_to_dict(url)
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    settings: dict[str, Any] = {name: str(parts.pop(key, None) or "") for name, key in names.items()}
    options: dict[str, Any] = {**KEEPALIVES, **parts, "connect_timeout": 10}
    if pool_size:
        # Who is to connect again tries ever more rarely. A new request tries at once, where nobody else still does.
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 10, "reconnect_timeout": 10}
    return settings | {
        "ENGINE": "memoryplatform.database",
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
        "DISABLE_SERVER_SIDE_CURSORS": True,  # a pooler in transaction mode can't keep them
    }
