from typing import Any


class Router:
    """The owner makes the tables and the service uses them. Any other connection is named with `using`."""

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == "owner"

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        """All connections lead to the same database."""
        return True
