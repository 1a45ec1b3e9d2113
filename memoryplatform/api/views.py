"""The base of every view: it acts for the tenant of the API key.

What it says in class docstrings would stand in the API's description, so it says it here: `scopes` of a view names
other scopes than the usual ones, by method.
"""

from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memoryplatform.api.throttles import check_rate, tell_allowance
from memoryplatform.operations.access import BankAccess
from tenants.audit import Actor
from tenants.keys import KeyIdentity


class TenantView(APIView):
    quotes_memories = True  # whether answers may hold what memories say: those are not kept beyond them

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

    def check_throttles(self, request: Request) -> None:
        check_rate(request._request, self.identity)  # noqa: SLF001  # DRF keeps Django's request there

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        finished = super().finalize_response(request, response, *args, **kwargs)
        for name, value in tell_allowance(request._request).items():  # noqa: SLF001  # as above
            finished.headers[name] = value
        return finished
