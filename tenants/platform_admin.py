"""The admin's access to all tenants: a connection of its own, for staff only, with an audit event for every view."""

from typing import Any

from django import forms
from django.contrib.admin.views.main import ERROR_FLAG
from django.db import DataError, ProgrammingError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin

from tenants.audit import build_actor, record
from tenants.models import Tenant, User
from tenants.scoping import PLATFORM_CONNECTION, TenantOwned

PLATFORM = PLATFORM_CONNECTION


class PlatformForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """Checks a new row on the connection that will store it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance._state.db = PLATFORM  # noqa: SLF001  # where Django itself notes the connection of a row


class PlatformAdmin(ModelAdmin):
    """Reads and writes on the `platform` connection, which sees every tenant."""

    form = PlatformForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model._default_manager.using(PLATFORM).order_by(*self.get_ordering(request))
        return rows

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:  # noqa: FBT001  # Django's
        obj.save(using=PLATFORM)
        self.audit(request, obj, "changed" if change else "added", {"fields": sorted(form.changed_data)})

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        self.audit(request, obj, "deleted")
        obj.delete(using=PLATFORM)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for row in queryset:
            self.delete_model(request, row)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        return super().formfield_for_foreignkey(db_field, request, **kwargs | {"using": PLATFORM})

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """A filter in the address that Postgres can't read ends like one that Django can't read: in a notice."""
        try:
            response: HttpResponse = super().changelist_view(request, extra_context)
        except (DataError, ProgrammingError, ValueError):
            if not request.GET or ERROR_FLAG in request.GET:
                raise
            return HttpResponseRedirect(f"{request.path}?{ERROR_FLAG}=1")
        return response

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        if request.method == "GET" and row is not None:
            self.audit(request, row, "viewed")
        response: HttpResponse = super().change_view(request, object_id, form_url, extra_context)
        return response

    def audit(self, request: HttpRequest, row: Model, verb: str, detail: dict[str, Any] | None = None) -> None:
        """`detail` has names of fields and no values."""
        tenant_id = row.tenant_id if isinstance(row, TenantOwned) else row.pk if isinstance(row, Tenant) else None
        if tenant_id is not None and isinstance(request.user, User):
            record(
                tenant_id,
                actor=build_actor(request, user_id=request.user.id),
                action=f"admin.{verb}",
                target=f"{row._meta.model_name}:{row.pk}",
                detail=detail,
                using=PLATFORM,
            )


class ReadOnlyAdmin(PlatformAdmin):
    """For rows that only the service writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
