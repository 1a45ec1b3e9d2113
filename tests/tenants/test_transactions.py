import pytest
from django.db import connection

from tenants.identifiers import uuid7
from tenants.transactions import TENANT_SETTING, CrossTenantTransaction, tenant_transaction

pytestmark = pytest.mark.usefixtures("committed_db")


def read_setting(name: str) -> str | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s, true)", [name])
        value: str | None = cursor.fetchone()[0]
    return value


def test_settings_hold_beside_the_tenant_until_the_transaction_ends() -> None:
    alice = uuid7()
    with tenant_transaction(alice, settings={"statement_timeout": "1234"}):
        assert read_setting("statement_timeout") == "1234ms"
        assert read_setting(TENANT_SETTING) == str(alice)
    assert read_setting("statement_timeout") == "0"
    assert not read_setting(TENANT_SETTING)


def test_settings_can_not_name_another_tenant() -> None:
    alice, charlie = uuid7(), uuid7()
    with tenant_transaction(alice, settings={TENANT_SETTING: str(charlie)}):
        assert read_setting(TENANT_SETTING) == str(alice)


def test_a_transaction_within_another_is_of_the_same_tenant() -> None:
    alice, charlie = uuid7(), uuid7()
    with tenant_transaction(alice):
        with tenant_transaction(alice, settings={"statement_timeout": "1234"}):
            assert read_setting("statement_timeout") == "1234ms"
        assert read_setting(TENANT_SETTING) == str(alice)
        with pytest.raises(CrossTenantTransaction), tenant_transaction(charlie):
            pass
