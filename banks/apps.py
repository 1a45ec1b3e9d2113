from django.apps import AppConfig


class BanksConfig(AppConfig):
    name = "banks"
