import sys
from importlib import import_module

from django.apps import AppConfig

from memoryplatform.operations.apps import WITHOUT_OPERATIONS


class ApiConfig(AppConfig):
    name = "memoryplatform.api"
    label = "api"

    def ready(self) -> None:
        """Registers mem0's finder for the deletion operation: workers load no routes."""
        if not WITHOUT_OPERATIONS.intersection(sys.argv[1:2]):
            import_module("memoryplatform.api.compat.mem0.deletion")
