"""The web process of `up`: it loads while the migrations run, and serves when they are done.

It waits before uvicorn starts, so that a signal ends the process at once.
"""

import time

import uvicorn
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

POLL_SECONDS = 0.1


def main() -> None:
    """Takes uvicorn's own command line."""
    import memoryplatform.asgi  # noqa: F401  # the long part

    wait_until_migrated()
    uvicorn.main()


def wait_until_migrated() -> None:
    """Poll for the last migration of each app, which is cheap. `up` has the time limit."""
    last = set(MigrationLoader(None).graph.leaf_nodes())
    while not last <= set(MigrationRecorder(connection).applied_migrations()):
        time.sleep(POLL_SECONDS)
    connection.close()


if __name__ == "__main__":
    main()
