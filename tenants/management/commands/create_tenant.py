from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from tenants.audit import Actor, record
from tenants.keys import make_key
from tenants.management.reachable import needing_database
from tenants.memberships import found_tenant
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction

SCOPES = ["read", "write", "admin"]
LONGEST_NAME = Tenant._meta.get_field("name").max_length or 0
LONGEST_SLUG = Tenant._meta.get_field("slug").max_length or 0


class Command(BaseCommand):
    help = "Make a tenant with its first owner and an API key, which is shown once. A slug that is taken is refused."
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="The name of the tenant.")
        parser.add_argument("--email", required=True, help="The owner's address. A new person is created if needed.")
        parser.add_argument("--slug", help="Its short name in commands; default: made from the name.")

    def handle(self, **options: Any) -> None:
        name, email = check_name(options["name"]), check_email(options["email"])
        slug = check_slug(options["slug"] or name)
        with needing_database():
            self.stdout.write(create_tenant(name, slug, email))


def create_tenant(name: str, slug: str, email: str) -> str:
    """Creates the owner, the tenant and the key, or nothing. Returns the key."""
    try:
        with transaction.atomic():
            owner = User.objects.filter(email__iexact=email).first() or User.objects.create_user(email)
            tenant = found_tenant(name=name, slug=slug, owner=owner)
            with tenant_transaction(tenant.id):
                key, text = make_key(tenant.id, name="first key", scopes=SCOPES, created_by=owner)
                target = f"api_key:{key.prefix}"
                record(tenant.id, actor=Actor(user_id=owner.id), action="api_key.created", target=target)
    except IntegrityError as error:
        raise CommandError(
            f"There is a tenant {slug} already. A further key is made by `create_api_key EMAIL --tenant {slug}`; "
            "for another tenant choose another --slug."
        ) from error
    return text


def check_name(given: str) -> str:
    name = given.strip()
    if not name or len(name) > LONGEST_NAME or "\x00" in name:
        raise CommandError(f"The name must have 1 to {LONGEST_NAME} characters.")
    return name


def check_email(given: str) -> str:
    email = given.strip()
    try:
        validate_email(email)
    except ValidationError as error:
        raise CommandError(f"{email or 'Nothing'} is no e-mail address.") from error
    return email


def check_slug(given: str) -> str:
    slug = slugify(given)
    if not slug or len(slug) > LONGEST_SLUG:
        raise CommandError(f"Give a --slug of 1 to {LONGEST_SLUG} letters, digits and hyphens.")
    return slug
