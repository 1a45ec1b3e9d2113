from typing import TYPE_CHECKING, cast

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from tenants.keys import KeyIdentity
from tenants.models import ApiKey

if TYPE_CHECKING:  # rest_framework.views loads this module while it is loaded itself
    from rest_framework.views import APIView


class HasScope(BasePermission):
    """Reading wants the scope `read`, everything else `write`; a view may name others in `scopes`, "write read"."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        usual = ApiKey.Scope.READ if request.method in SAFE_METHODS else ApiKey.Scope.WRITE
        wanted = getattr(view, "scopes", {}).get(request.method, usual).split()
        identity = cast("KeyIdentity", request.auth)
        missing = [scope for scope in wanted if not identity.allows(scope)]
        self.message = f"This API key lacks the scope '{' '.join(missing)}'."
        return not missing
