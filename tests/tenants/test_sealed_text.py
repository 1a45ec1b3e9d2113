"""Webhook secrets are stored encrypted, and a changed encryption key is reported at their use."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from tenants.models import Tenant, Webhook
from tenants.sealed_text import PREFIX, SealedText
from tenants.transactions import tenant_transaction
from tests.factories import make_tenant, make_webhook

OTHER_KEY = "another-key-" * 5


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant()


@contextmanager
def changed_key(*former: str) -> Iterator[None]:
    with override_settings(SECRET_KEY=OTHER_KEY, SECRET_KEY_FALLBACKS=list(former)):
        yield


def read_column(tenant: Tenant) -> str:
    with tenant_transaction(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM tenants_webhook WHERE tenant_id = %s", [tenant.id])
        return str(cursor.fetchone()[0])


def load(tenant: Tenant) -> Webhook:
    with tenant_transaction(tenant.id):
        return Webhook.objects.for_tenant(tenant.id).get()


def save(webhook: Webhook) -> None:
    with tenant_transaction(webhook.tenant_id):
        webhook.save()


def test_the_column_does_not_hold_the_secret(tenant: Tenant) -> None:
    make_webhook(tenant, secret="whsec_open")
    assert read_column(tenant).startswith(PREFIX)
    assert "open" not in read_column(tenant)
    assert load(tenant).secret == "whsec_open"


def test_a_secret_that_looks_encrypted_is_encrypted_like_any(tenant: Tenant) -> None:
    make_webhook(tenant, secret=f"{PREFIX}x")
    assert load(tenant).secret == f"{PREFIX}x"


def test_a_plain_text_row_is_read_and_encrypted_at_the_next_write(tenant: Tenant) -> None:
    make_webhook(tenant)
    with tenant_transaction(tenant.id), connection.cursor() as cursor:
        cursor.execute("UPDATE tenants_webhook SET secret = 'plain' WHERE tenant_id = %s", [tenant.id])
    webhook = load(tenant)
    assert webhook.secret == "plain"
    save(webhook)
    assert read_column(tenant).startswith(PREFIX)
    assert load(tenant).secret == "plain"


def test_a_former_key_opens_and_the_next_write_seals_with_the_new_one(tenant: Tenant) -> None:
    make_webhook(tenant, secret="whsec_open")
    with changed_key(settings.SECRET_KEY):
        webhook = load(tenant)
        assert webhook.secret == "whsec_open"
        save(webhook)
    with changed_key():
        assert load(tenant).secret == "whsec_open"


def test_without_its_key_it_stays_encrypted_and_a_write_does_no_harm(tenant: Tenant) -> None:
    make_webhook(tenant, secret="whsec_open")
    with changed_key():
        webhook = load(tenant)
        assert isinstance(webhook.secret, SealedText)
        save(webhook)
    assert load(tenant).secret == "whsec_open"
