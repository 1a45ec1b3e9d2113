from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from tenants.models import ApiKey


class HasScope(BasePermission):
    """Reading wants the scope `read`, everything else `write`; a view may name another in `scopes`."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        usual = ApiKey.Scope.READ if request.method in SAFE_METHODS else ApiKey.Scope.WRITE
        scope = getattr(view, "scopes", {}).get(request.method, usual)
        self.message = f"This API key lacks the scope '{scope}'."
        return bool(request.auth.allows(scope))
