"""Django's Postgres backend with a pool that never hands out a dead connection.

A connection that the server or a proxy has ended stays in the pool until its next use. Django can run a statement at
each use, which costs a round trip some eight times a recall, and the pool waits longer after each dead connection. The
socket itself knows at the cost of one system call: the server sends nothing on a healthy idle connection.
"""

import select
from typing import Any

from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from psycopg import Connection

MAX_CHECKS = 3  # a server that ends every new connection ends this loop


class DatabaseWrapper(PostgresWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Check all connections of the pool after a dead one: the cause has often ended all."""
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        for _ in range(MAX_CHECKS):
            if pool is None or not has_input(connection):
                break
            pool.putconn(connection)
            pool.check()
            connection = super().get_new_connection(conn_params)
        return connection


def has_input(connection: Connection[Any]) -> bool:
    """Whether the server sent something: its farewell, the end of the stream, an error, or a harmless notice."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
