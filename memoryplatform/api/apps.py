from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "memoryplatform.api"
    label = "api"
