from importlib import import_module
from pkgutil import iter_modules

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "memoryplatform.operations"
    label = "operations"

    def ready(self) -> None:
        """Register every kind of operation, in the web process too: it must know their queues."""
        kinds = import_module("memoryplatform.operations.kinds")
        for module in iter_modules(kinds.__path__, f"{kinds.__name__}."):
            import_module(module.name)
