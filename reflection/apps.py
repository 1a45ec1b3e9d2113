from django.apps import AppConfig


class ReflectionConfig(AppConfig):
    name = "reflection"
