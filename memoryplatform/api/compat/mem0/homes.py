"""The bank that a memory is to lie in, made where it is missing."""

from banks.errors import BankExists, BankNotFound
from memoryplatform.api.compat.mem0.owners import Owners
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank, get_bank
from tenants.transactions import tenant_transaction

NOBODY = "Assistant"


def make_home(access: BankAccess, owners: Owners) -> str:
    """Its name is what the agent is called when facts are taken, so it must not be the user's."""
    try:
        with tenant_transaction(access.tenant_id):
            return get_bank(access, owners.bank_id).bank_id
    except BankNotFound:
        if not access.reaches(owners.bank_id):
            raise
    try:
        return create_bank(access, owners.bank_id, BankChange(name=owners.name_of("agent") or NOBODY)).bank_id
    except BankExists:  # somebody else was quicker
        return owners.bank_id
