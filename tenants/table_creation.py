"""A migration operation that creates the tables of an app at once."""

from collections.abc import Sequence

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateTables(Operation):
    """Several `CreateModel`, with one rendering of the models.

    Django renders a new model and all related ones after each `CreateModel`. Every table leads to a tenant, so that
    grows with the square of their number and takes most of the time of a first start.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, *models: CreateModel) -> None:
        self.models: Sequence[CreateModel] = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # a cached property: the next reader renders it
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for model in reversed(self.models):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create the tables of {', '.join(model.name for model in self.models)}"
