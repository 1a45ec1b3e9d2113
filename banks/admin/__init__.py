"""The admin pages of banks. Importing this package registers them."""

from banks.admin import pages

__all__ = ["pages"]
