from django.apps import AppConfig


class EmbeddedConfig(AppConfig):
    name = "memoryplatform.embedded"
    label = "embedded"
