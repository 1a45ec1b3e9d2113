import gc
import json
import secrets
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from memoryplatform.embedded.demo import is_seeded
from tenants.keys import make_key
from tenants.management.reachable import needing_database
from tenants.memberships import found_tenant, list_memberships
from tenants.models import User
from tenants.transactions import tenant_transaction

EMAIL = "demo@example.com"
SLUG = "demo"


class Command(BaseCommand):
    help = "Make a demo tenant with an owner, who may enter the admin, an API key and a demo bank. Does nothing twice."
    requires_system_checks = ()  # they load every route, which takes longer than this command

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="One JSON object, for programs.")
        parser.add_argument("--migrate", action="store_true", help="Apply the migrations first, in the same process.")
        parser.add_argument("--no-bank", action="store_true", help="Leave the demo bank out.")

    def handle(self, **options: Any) -> None:
        with needing_database():
            if options["migrate"]:
                gc.disable()  # every migration makes the models anew, and the process ends soon
                call_command("migrate", interactive=False, stdout=self.stdout)
            made = make_demo()
            if not options["no_bank"]:
                seed_tenant()
        if options["json"]:
            self.stdout.write(json.dumps(made))
            return
        for name, value in made.items():
            self.stdout.write(f"{name}: {value or 'shown only when it was made'}")


def make_demo() -> dict[str, str | None]:
    if User.objects.filter(email=EMAIL).exists():
        return {"email": EMAIL, "password": None, "api_key": None}
    password = secrets.token_urlsafe(15)
    with transaction.atomic():
        owner = User.objects.create_superuser(EMAIL, password, name="Demo owner")
        tenant = found_tenant(name="Demo", slug=SLUG, owner=owner)
        with tenant_transaction(tenant.id):
            _, api_key = make_key(tenant.id, name="demo", scopes=["read", "write", "admin"], created_by=owner)
    return {"email": EMAIL, "password": password, "api_key": api_key}


def seed_tenant() -> None:
    """The bank goes into the tenant that `make_demo` founded, if the owner is still a member of it."""
    owner = User.objects.get(email=EMAIL)
    for membership in list_memberships(owner.id):
        if membership.slug != SLUG:
            continue
        with tenant_transaction(membership.tenant_id):
            is_done = is_seeded(membership.tenant_id)
        if not is_done:
            from memoryplatform.embedded.demo.seed import seed_demo  # a later start does not pay for it

            seed_demo(membership.tenant_id, user_id=owner.id)
