from typing import Any


class Router:
    """Tables are made by the owner and used by the service; whoever wants another connection says `using`."""

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == "owner"

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        """All connections lead to the same database."""
        return True
