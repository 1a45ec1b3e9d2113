"""Whose rows a list shows: those of one tenant or bank, by the names that people know them by."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import TextFilter

from banks.models import Bank
from tenants.platform_admin import PLATFORM


class TenantFilter(TextFilter):
    title = "tenant (its slug)"
    parameter_name = "tenant"

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(tenant__slug=self.value()) if self.value() else queryset


class BankFilter(TextFilter):
    title = "bank (its id)"
    parameter_name = "bank"

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(bank__bank_id=self.value()) if self.value() else queryset


def find_banks(request: HttpRequest) -> QuerySet[Bank]:
    """Those that the two filters let through."""
    banks: QuerySet[Bank] = Bank.objects.using(PLATFORM).live()
    if slug := request.GET.get(TenantFilter.parameter_name):
        banks = banks.filter(tenant__slug=slug)
    if bank_id := request.GET.get(BankFilter.parameter_name):
        banks = banks.filter(bank_id=bank_id)
    return banks
