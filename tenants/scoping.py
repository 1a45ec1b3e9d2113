"""Query sets that refuse to run without a tenant.

This is the second of three walls between tenants: the API key decides the tenant, these query sets refuse a query
without one, and row-level security in Postgres stops the rest.
"""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self, TypeVar
from uuid import UUID

from django.db import models

from tenants.identifiers import uuid7

M = TypeVar("M", bound="TenantOwned")
PLATFORM_CONNECTION = "platform"  # of the admin, which sees all tenants


class UnscopedQuery(Exception):
    """A tenant-owned table was queried without a tenant."""


class ForeignRow(Exception):
    """A row of one tenant was given to the query set of another."""


class TenantQuerySet(models.QuerySet[M]):
    """Call `for_tenant(...)` first. `using("platform")` is the only exception and easy to find."""

    _tenant_id: UUID | None = None

    def for_tenant(self, tenant_id: UUID) -> Self:
        scoped = self.filter(tenant_id=tenant_id)
        scoped._tenant_id = tenant_id  # noqa: SLF001  # of our own class
        return scoped

    def _clone(self) -> Self:
        clone: Self = super()._clone()  # type: ignore[misc]
        clone._tenant_id = self._tenant_id
        return clone

    def _refuse_unscoped(self) -> None:
        if self._tenant_id is None and self.db != PLATFORM_CONNECTION:
            raise UnscopedQuery(f"{self.model.__name__}.objects needs .for_tenant(tenant_id) before it can be used.")

    def _claim(self, row: M) -> M:
        """Give the row to this query set's tenant, or refuse a row of another tenant."""
        self._refuse_unscoped()
        if row.tenant_id is None:
            row.tenant_id = self._tenant_id
        if self._tenant_id is not None and row.tenant_id != self._tenant_id:
            raise ForeignRow(f"This {self.model.__name__} belongs to another tenant.")
        return row

    def _fetch_all(self) -> None:
        self._refuse_unscoped()
        super()._fetch_all()

    def iterator(self, chunk_size: int | None = None) -> Iterator[M]:
        self._refuse_unscoped()
        return super().iterator(chunk_size)

    def count(self) -> int:
        self._refuse_unscoped()
        return super().count()

    def exists(self) -> bool:
        self._refuse_unscoped()
        return super().exists()

    def aggregate(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        self._refuse_unscoped()
        return super().aggregate(*args, **kwargs)

    def explain(self, **kwargs: Any) -> str:
        self._refuse_unscoped()
        return super().explain(**kwargs)

    def raw(self, *args: Any, **kwargs: Any) -> Any:
        """Raw SQL needs a tenant too."""
        self._refuse_unscoped()
        return super().raw(*args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        self._refuse_unscoped()
        return super().update(**kwargs)

    def delete(self) -> tuple[int, dict[str, int]]:
        self._refuse_unscoped()
        return super().delete()

    def create(self, **kwargs: Any) -> M:
        row = self._claim(self.model(**kwargs))
        row.save(force_insert=True, using=self.db)
        return row

    def bulk_create(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> list[M]:
        return super().bulk_create([self._claim(row) for row in objs], *args, **kwargs)

    def bulk_update(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> int:
        return super().bulk_update([self._claim(row) for row in objs], *args, **kwargs)


TenantManager = models.Manager.from_queryset(TenantQuerySet)


class TenantOwned(models.Model):
    """A row of one tenant. Its migration must isolate the table with `tenants.isolation.IsolateTenantTable`."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.DO_NOTHING, related_name="+", db_index=False)

    objects: ClassVar[TenantManager[Self]] = TenantManager()

    class Meta:
        abstract = True
