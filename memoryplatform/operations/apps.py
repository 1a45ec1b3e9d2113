import sys
from importlib import import_module
from pkgutil import iter_modules

from django.apps import AppConfig

WITHOUT_OPERATIONS = {"up", "demo", "migrate"}  # commands that perform none and start faster so


class OperationsConfig(AppConfig):
    name = "memoryplatform.operations"
    label = "operations"

    def ready(self) -> None:
        """Register every kind of operation, in the web process too: it must know their queues."""
        if WITHOUT_OPERATIONS.intersection(sys.argv[1:2]):
            return
        kinds = import_module("memoryplatform.operations.kinds")
        for module in iter_modules(kinds.__path__, f"{kinds.__name__}."):
            import_module(module.name)
