import sys
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmarks.load.options import LoadOptions
from benchmarks.options import Options
from benchmarks.peers.options import PeersOptions
from benchmarks.qa.options import QAOptions
from benchmarks.recall.cases import Shape
from benchmarks.report import write_report
from benchmarks.scale.options import ScaleOptions
from benchmarks.stack import run_on_own_stack
from benchmarks.suites import MODULES, WITHOUT_DATA, load_suite


class Command(BaseCommand):
    help = "Measure the quality and speed of the service on your data."
    requires_system_checks = ()  # the database may not run yet

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("suite", choices=sorted(MODULES))
        parser.add_argument(
            "--data",
            type=Path,
            help=f"folder with the evaluation data, or one file; {', '.join(sorted(WITHOUT_DATA))} need none",
        )
        parser.add_argument(
            "--out", type=Path, help="folder for report.json and report.md (default: benchmark-reports/SUITE)"
        )
        parser.add_argument(
            "--limit", type=int, help="most facts, rows, turns, questions, requests or seconds, for a short run"
        )
        parser.add_argument(
            "--leave-one-out", action="store_true", help="recall suites: ask every question again without each channel"
        )
        parser.add_argument(
            "--keep",
            type=Path,
            help="recall suites, qa: keep the retained data in this folder, and reuse it in the next run",
        )
        parser.add_argument(
            "--as",
            choices=get_args(Shape),
            default="messages",
            help="recall suites: messages; one document a turn, 'Name: text'; or one document a session (transcript)",
        )
        parser.add_argument(
            "--configured",
            action="store_true",
            help="use the configured database and leave a tenant there (default: a temporary one)",
        )
        QAOptions.add_arguments(parser, "answer quality (qa)")
        ScaleOptions.add_arguments(parser, "large and many banks (scale)")
        LoadOptions.add_arguments(parser, "many clients (load)")
        PeersOptions.add_arguments(parser, "other memories (peers)")

    def handle(self, *_args: object, **options: Any) -> None:
        data: Path | None = options["data"]
        if data is None and options["suite"] not in WITHOUT_DATA:
            raise CommandError(f"The suite {options['suite']} needs --data.")
        out: Path = (options["out"] or Path("benchmark-reports", options["suite"])).absolute()
        kept: Path | None = options["keep"].absolute() if options["keep"] else None
        chosen = Options(
            data.absolute() if data else out,
            out,
            options["limit"],
            leave_one_out=options["leave_one_out"],
            keep=kept is not None,
            shape=options["as"],
            qa=QAOptions.read(options),
            scale=ScaleOptions.read(options),
            load=LoadOptions.read(options),
            peers=PeersOptions.read(options),
        )
        if not options["configured"]:
            sys.exit(run_on_own_stack(write_arguments(options["suite"], chosen, kept), kept))
        write_report(chosen.out, options["suite"], load_suite(options["suite"])(chosen))
        self.stdout.write((chosen.out / "report.md").read_text(encoding="utf-8"))


def write_arguments(suite: str, options: Options, kept: Path | None) -> list[str]:
    limit = [] if options.limit is None else ["--limit", str(options.limit)]
    leave = ["--leave-one-out"] if options.leave_one_out else []
    keep = [] if kept is None else ["--keep", str(kept)]
    shape = [] if options.shape == "messages" else ["--as", options.shape]
    given = ["--data", str(options.data), "--out", str(options.out), *limit, *leave, *keep, *shape]
    chosen = [part for table in (options.qa, options.scale, options.load, options.peers) for part in table.write()]
    return ["benchmark", suite, *given, *chosen, "--configured"]
