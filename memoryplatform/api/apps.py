from importlib import import_module

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "memoryplatform.api"
    label = "api"

    def ready(self) -> None:
        """Workers have no routes, and yet delete what was asked for in a client's own words."""
        import_module("memoryplatform.api.compat.mem0.deleting")
