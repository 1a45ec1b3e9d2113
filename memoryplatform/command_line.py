"""The command `memoryplatform` of an installed wheel, such as `uvx memoryplatform up`.

`up` and `manage` are the server's. The client's package (sdk/) installs a command of the same name, with `retain`,
`recall` and others. Where both packages are installed, each command hands over what belongs to the other: it does not
matter which one was installed last.
"""

import importlib.util
import os
import sys

HELP = """\
usage: memoryplatform up [--host HOST] [--port PORT] [--data-dir FOLDER] [--no-demo]
       memoryplatform manage COMMAND ...

  up       run the whole service: Postgres, Redis, web and workers, until Ctrl-C
  manage   a management command such as create_api_key, backup or verify; `manage help` lists them
"""
CLIENT_HINT = 'The client has more commands, such as retain and recall: `pip install "./sdk[cli]"` in a checkout.\n'
USAGE_ERROR = 2


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["up"]:
        return run_django("memoryplatform", arguments)
    if arguments[:1] == ["manage"]:
        return run_django("memoryplatform manage", arguments[1:])
    if importlib.util.find_spec("memoryplatform_command") is not None:
        from memoryplatform_command import main as run_client

        return run_client()
    return print_help(arguments)


def run_django(program: str, arguments: list[str]) -> int:
    """Run a management command, on the embedded settings unless DJANGO_SETTINGS_MODULE says otherwise."""
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplatform.settings.embedded")
    try:
        execute_from_command_line([program, *arguments])
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    return 0


def print_help(arguments: list[str]) -> int:
    if not arguments or arguments[0] in {"help", "-h", "--help"}:
        sys.stdout.write(f"{HELP}\n{CLIENT_HINT}")
        return 0
    sys.stderr.write(f"Unknown command: {arguments[0]}.\n\n{HELP}\n{CLIENT_HINT}")
    return USAGE_ERROR
