"""People who are signed in."""

from tests.accounts.conftest import acme, owner

__all__ = ["acme", "owner"]
