from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.distribution import OWNER, Plan, build_plan, has_citus
from tenants.management.reachable import check_databases, needing_database

PLAN = "{distributed} distributed tables, {reference} reference tables, {keys} keys to which the tenant is added"
MISSING = """The extension citus is not in this database. Citus spreads tables over several servers by tenant.

To use it, install it on the coordinator and on each worker, add citus to shared_preload_libraries, run CREATE EXTENSION
citus on all of them and add the workers with citus_add_node."""
NOT_YET = """Nothing was changed: this release can't run on distributed tables yet. Its upserts name keys without the
tenant, and some rows are saved by their id alone. docs/scaling.md lists both."""


class Command(BaseCommand):
    help = "Explain how the tables would be distributed by tenant over a Citus cluster. docs/scaling.md"
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sql", action="store_true", help="Show the statements of the plan.")

    def handle(self, **options: Any) -> None:
        check_databases(OWNER)
        with needing_database():
            plan, is_there = build_plan(), has_citus()
        if options["sql"]:
            self.show(plan)
            return
        counts = {name: len(getattr(plan, name)) for name in ("distributed", "reference", "keys")}
        parts = [] if is_there else [MISSING]
        raise CommandError("\n\n".join([*parts, NOT_YET, f"The plan: {PLAN.format(**counts)}. See it with --sql."]))

    def show(self, plan: Plan) -> None:
        for statement in [*plan.list_key_changes(), *plan.list_placements()]:
            self.stdout.write(f"{statement.as_string()};")
