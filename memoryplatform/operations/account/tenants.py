"""Tenants of a person: found, rename."""

import secrets
import unicodedata

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid, TooManyTenants
from tenants.audit import Actor
from tenants.memberships import found_tenant, list_memberships
from tenants.models import Member, Tenant, User
from tenants.transactions import tenant_transaction

LONGEST_SLUG = 50


def found(owner: User, *, name: str, actor: Actor) -> Tenant:
    """The slug is the name in small letters with a random end, because another tenant may have the name too.

    The lock of the person makes two requests take turns, so that both count the tenant of the first.
    """
    name = check_name(name)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(id=owner.id)
        owned = [one for one in list_memberships(owner.id) if one.role == Member.Role.OWNER]
        if len(owned) >= settings.MAX_OWNED_TENANTS:
            raise TooManyTenants(settings.MAX_OWNED_TENANTS)
        return found_tenant(name=name, slug=make_slug(name), owner=owner, actor=actor)


def make_slug(name: str) -> str:
    return f"{slugify(name)[:LONGEST_SLUG] or 'tenant'}-{secrets.token_hex(3)}"


def rename(access: TenantAccess, name: str) -> Tenant:
    access.require(Right.MANAGE)
    name = check_name(name)
    with tenant_transaction(access.tenant_id):
        tenant = Tenant.objects.select_for_update().get(id=access.tenant_id)
        if tenant.name != name:
            access.record("tenant.renamed", f"tenant:{tenant.slug}", {"before": tenant.name, "after": name})
            tenant.name = name
            tenant.save(update_fields=["name"])
        return tenant


def check_name(name: str) -> str:
    """The name is in the subject of invitations, which go to anybody: it carries no link and nothing invisible."""
    name = " ".join(name.split())
    if not name:
        raise AccountInvalid({"name": "A tenant needs a name."})
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Co", "Cs"} for letter in name):
        raise AccountInvalid({"name": "The name contains invisible characters."})
    if "://" in name or "www." in name.casefold():
        raise AccountInvalid({"name": "The name contains a web address."})
    return name
