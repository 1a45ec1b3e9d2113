from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "memoryplatform.operations"
    label = "operations"
