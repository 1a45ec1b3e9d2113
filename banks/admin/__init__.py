"""What a bank holds, for staff to look at. Importing it registers the pages."""

from banks.admin.archive import EpisodeAdmin, MessageAdmin
from banks.admin.bank import BankAdmin
from banks.admin.entity import EntityAdmin, RelationshipAdmin
from banks.admin.unit import UnitAdmin

__all__ = ["BankAdmin", "EntityAdmin", "EpisodeAdmin", "MessageAdmin", "RelationshipAdmin", "UnitAdmin"]
