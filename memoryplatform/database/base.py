"""Django's Postgres backend, whose pool gives nobody a connection that is known to be dead.

Connections that the server, or something between, has ended lie in the pool until somebody takes them. Django can have
each one run a statement whenever it is taken, which costs a journey to the database some eight times a recall; and
the pool then waits longer with each dead one that it comes upon. The socket itself knows, at the cost of one system
call: the server says nothing on its own to a connection that is idle and well.
"""

import select
from typing import Any

from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from psycopg import Connection

MOST_LOOKS = 3  # a server that ends whatever is opened is not waited for here


class DatabaseWrapper(PostgresWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Where one says something, all that lie in the pool are asked: what has ended one has often ended all."""
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        for _ in range(MOST_LOOKS):
            if pool is None or not says_something(connection):
                break
            pool.putconn(connection)
            pool.check()
            connection = super().get_new_connection(conn_params)
        return connection


def says_something(connection: Connection[Any]) -> bool:
    """A farewell, the end of the stream, an error; or news of a setting, after which it is as good as before."""
    if connection.closed:
        return True
    looked = select.poll()
    looked.register(connection.fileno(), select.POLLIN)
    return bool(looked.poll(0))
