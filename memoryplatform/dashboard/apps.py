from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "memoryplatform.dashboard"
