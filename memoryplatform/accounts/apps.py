from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "memoryplatform.accounts"
    label = "memoryplatform_accounts"
