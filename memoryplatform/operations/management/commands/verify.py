import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryplatform.verify.check import SHOWN
from memoryplatform.verify.run import Report, Result, verify
from tenants.management.reachable import check_databases, needing_database
from tenants.models import Tenant

OWNER_CONNECTION = "owner"  # may list the tenants, and sees none of their rows


class Command(BaseCommand):
    help = "Check the invariants of the database, its tenants and their banks. docs/verify.md"
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="The slug of one tenant; default: all.")
        parser.add_argument("--bank", help="The id of a bank: its checks alone; default: all checks.")
        parser.add_argument("--repair", action="store_true", help="Rebuild what is derived from other rows.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, **options: Any) -> None:
        check_databases(OWNER_CONNECTION)
        with needing_database():
            wanted = {"slug": options["tenant"]} if options["tenant"] else {}
            tenants = list(Tenant.objects.using(OWNER_CONNECTION).filter(**wanted).order_by("id"))
            report = verify(tenants, options["bank"], with_repair=options["repair"])
        if (wanted and not tenants) or (options["bank"] and not report.banks and not report.skipped):
            raise CommandError("There is no such tenant." if not tenants else "There is no such bank.")
        self.stdout.write(write_json(report) if options["json"] else write_lines(report))
        if not report.is_sound:
            raise SystemExit(1)


def write_json(report: Report) -> str:
    return json.dumps(asdict(report) | {"sound": report.is_sound}, indent=1)


def write_lines(report: Report) -> str:
    lines = [write_line(result) for result in report.results]
    skipped = f", {len(report.skipped)} skipped ({', '.join(report.skipped[:5])})" if report.skipped else ""
    wrong = sum(1 for result in report.results if result.left)
    verdict = "nothing is wrong" if report.is_sound else f"{wrong} of {len(report.results)} checks found something"
    return "\n".join([*lines, f"{report.tenants} tenants, {report.banks} banks{skipped}: {verdict}."])


def write_line(result: Result) -> str:
    if not result.found:
        return f"ok        {result.check}"
    ids = "; ".join(result.first)
    if result.is_repaired:
        return f"repaired  {result.check}: {result.found} ({ids})"
    advice = "needs a person"
    if result.failed_repairs:
        advice = f"the repair failed: {'; '.join(result.failed_repairs[:SHOWN])}"
    elif result.is_repairable:
        advice = "run it with --repair"
    return f"WRONG     {result.check}: {result.left} ({ids}); {advice}"
