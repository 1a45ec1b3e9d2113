"""URLs of the databases and of the broker, as settings of Django and Dramatiq."""

from typing import Any

from psycopg.conninfo import conninfo_to_dict

# In seconds. Firewalls and balancers drop silent connections, most after some minutes, without telling either end.
KEEPALIVES = {"keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 3}


def parse_database_url(url: str, *, pool_size: int = 0, wait_seconds: int = 10) -> dict[str, Any]:
    """No connection outlives its request: it returns to the pool, or is closed without one.

    `wait_seconds`: how long a request waits for a server that does not answer.
    """
    parts = conninfo_to_dict(url)
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    settings: dict[str, Any] = {name: str(parts.pop(key, None) or "") for name, key in names.items()}
    options: dict[str, Any] = {**KEEPALIVES, **parts, "connect_timeout": wait_seconds}
    if pool_size:
        # The pool tries to reconnect ever more rarely. Then it gives up, and the next request tries at once.
        seconds = {"timeout": wait_seconds, "reconnect_timeout": wait_seconds}
        options["pool"] = {"min_size": 1, "max_size": pool_size, **seconds}
    return settings | {
        "ENGINE": "memoryplatform.database",
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
        "DISABLE_SERVER_SIDE_CURSORS": True,  # a pooler in transaction mode can't keep them
    }


def choose_broker(url: str) -> dict[str, Any]:
    """RabbitMQ confirms each message, so that a lost one is an error at once and not a wait for the sweeper."""
    if url.startswith(("amqp://", "amqps://")):
        return {
            "BROKER": "dramatiq.brokers.rabbitmq.RabbitmqBroker",
            "OPTIONS": {"url": url, "confirm_delivery": True},
        }
    return {
        "BROKER": "dramatiq.brokers.redis.RedisBroker",
        "OPTIONS": {"url": url, "namespace": "memoryplatform"},
    }
