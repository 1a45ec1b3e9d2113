"""Authentication takes one query."""

from typing import cast

from django.test import RequestFactory
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.request import Request

from memoryplatform.api.authentication import ApiKeyAuthentication
from tenants.models import Tenant
from tests.factories import make_key_with_text


def ask_with(key: str) -> Request:
    return cast("Request", RequestFactory().get("/v1/banks", headers={"Authorization": f"Bearer {key}"}))


def test_a_key_in_use_takes_one_query(alice: Tenant, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    key = make_key_with_text(alice, last_used_at=timezone.now())[1]
    with django_assert_num_queries(1):
        _, identity = ApiKeyAuthentication().authenticate(ask_with(key))
    assert identity.tenant_id == alice.id
