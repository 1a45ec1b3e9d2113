"""The base of every view: it acts for the tenant of the API key.

What it says in class docstrings would stand in the API's description, so it says it here: `scopes` of a view names
other scopes than the usual ones, by method.
"""

from typing import cast
from uuid import UUID

from rest_framework.views import APIView

from memoryplatform.operations.bank_profile import BankAccess
from tenants.audit import Actor
from tenants.keys import KeyIdentity


class TenantView(APIView):
    @property
    def identity(self) -> KeyIdentity:
        return cast("KeyIdentity", self.request.auth)

    @property
    def tenant_id(self) -> UUID:
        return self.identity.tenant_id

    @property
    def actor(self) -> Actor:
        return Actor(api_key_prefix=self.identity.prefix, request_id=getattr(self.request, "request_id", ""))

    @property
    def access(self) -> BankAccess:
        return BankAccess(self.tenant_id, banks=self.identity.banks, actor=self.actor)
