from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tenants.audit import Actor, record
from tenants.bank_ids import WORDS, is_bank_id
from tenants.keys import make_key
from tenants.management.reachable import needing_database
from tenants.memberships import Membership, list_memberships
from tenants.models import ApiKey, User
from tenants.transactions import tenant_transaction

MOST_DAYS = 3650
MAY_HAVE = {
    "owner": {"read", "write", "admin"},
    "admin": {"read", "write", "admin"},
    "member": {"read", "write"},
    "viewer": {"read"},
}


class Command(BaseCommand):
    help = "Make an API key for the tenant of a member, and show it once."
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="A member of the tenant.")
        parser.add_argument("--tenant", help="The tenant's slug, if the person belongs to several.")
        parser.add_argument("--name", default="made on the command line")
        parser.add_argument(
            "--scope", action="append", choices=ApiKey.Scope.values, help="Repeatable; default: read, write."
        )
        parser.add_argument("--bank", action="append", help="Limit the key to this bank; repeatable.")
        parser.add_argument("--days", type=int, help="Days until it expires; default: never.")

    def handle(self, **options: Any) -> None:
        check_limits(options)
        with needing_database():
            self.stdout.write(create_api_key(options))


def create_api_key(options: dict[str, Any]) -> str:
    user = User.objects.filter(email__iexact=options["email"]).first()
    if user is None:
        raise CommandError(f"There is no user {options['email']}.")
    membership = choose(list_memberships(user.id), options["tenant"])
    scopes = options["scope"] or ["read", "write"]
    if not set(scopes) <= MAY_HAVE[membership.role]:
        raise CommandError(f"A key of a {membership.role} may not have the scopes {', '.join(scopes)}.")
    days = options["days"]
    with tenant_transaction(membership.tenant_id):
        key, text = make_key(
            membership.tenant_id,
            name=options["name"],
            scopes=scopes,
            banks=options["bank"],
            created_by=user,
            expires_at=timezone.now() + timedelta(days=days) if days is not None else None,
        )
        actor = Actor(user_id=user.id)
        record(membership.tenant_id, actor=actor, action="api_key.created", target=f"api_key:{key.prefix}")
    return text


def check_limits(options: dict[str, Any]) -> None:
    days = options["days"]
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise CommandError(f"--days must be 1 to {MOST_DAYS}.")
    if not all(is_bank_id(bank) for bank in options["bank"] or ()):
        raise CommandError(f"--bank must be {WORDS}.")


def choose(memberships: list[Membership], slug: str | None) -> Membership:
    fitting = [membership for membership in memberships if slug in {None, membership.slug}]
    if len(fitting) != 1:
        names = ", ".join(membership.slug for membership in memberships) or "none"
        raise CommandError(f"Say which tenant with --tenant; this person belongs to: {names}.")
    return fitting[0]
