from importlib import import_module

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "memoryplatform.operations"
    label = "operations"

    def ready(self) -> None:
        """Register every kind of operation, in the web process too: it must know their queues."""
        import_module("memoryplatform.operations.kinds")
