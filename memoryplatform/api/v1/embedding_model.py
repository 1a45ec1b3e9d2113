"""`/v1/banks/{bank_id}/embedding-model`: the model of a bank's vectors, and its change."""

from typing import Any, ClassVar

from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, NumberField, Output
from memoryplatform.api.v1.operations import OperationOutput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks import embedding_model
from memoryplatform.operations.banks.embedding_model import ModelState
from providers.registry import list_embedding_models


class EmbeddingModelInput(Input):
    model = serializers.CharField(max_length=200, help_text="One of the deployment's models.")
    switch = serializers.ChoiceField(
        choices=("auto", "manual"), default="manual", help_text="auto: switch as soon as the vectors are complete."
    )
    least_overlap = NumberField(
        min_value=0.0,
        max_value=1.0,
        default=0.0,
        help_text="auto switches only if the nearest memories of both models agree to this share.",
    )

    def validate_model(self, model: str) -> str:
        if model not in (known := list_embedding_models()):
            raise serializers.ValidationError(f"Must be a model of this deployment: {', '.join(known)}.")
        return model


class EmbeddingModelOutput(Output):
    bank_id = serializers.CharField(source="bank.bank_id")
    model = serializers.CharField(source="bank.embedding_model", help_text="The model in use.")
    state = serializers.SerializerMethodField(
        help_text="none, filling, ready, switched (the former vectors are kept) or clearing."
    )
    other_model = serializers.CharField(
        source="bank.other_embedding_model", help_text="The next model, or after a switch the former one; or empty."
    )
    available_models = serializers.ListField(
        child=serializers.CharField(), source="models", help_text="The deployment's models, the default first."
    )
    operation = OperationOutput(allow_null=True, help_text="The newest operation of a change.")

    def get_state(self, state: ModelState) -> str:
        return state.bank.vector_change or "none"


class EmbeddingModelView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "admin", "DELETE": "admin"}
    quotes_memories = False

    @route("get_embedding_model", "Get the embedding model of a bank", EmbeddingModelOutput)
    def get(self, bank_id: str) -> object:
        return embedding_model.get_state(self.access, bank_id)

    @idempotent
    @route(
        "change_embedding_model", "Change the embedding model of a bank", OperationOutput, 202, body=EmbeddingModelInput
    )
    def post(self, bank_id: str, body: EmbeddingModelInput) -> object:
        """Makes vectors of another model beside those in use, and compares both on a sample. Recall and retain go on.
        The result of the operation has the `overlap`: the share of the nearest ten memories that is the same.
        """
        given: dict[str, Any] = dict(body.validated_data)
        return embedding_model.request_change(self.access, bank_id, given.pop("model"), **given)

    @route("abandon_embedding_model", "Give up a change of the embedding model", OperationOutput, 202)
    def delete(self, bank_id: str) -> object:
        """Deletes the vectors of the next model. After a switch it is refused (409): roll back first, or finish."""
        return embedding_model.request_act(self.access, bank_id, "abandon")


class EmbeddingModelActView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "admin"}
    quotes_memories = False


class SwitchView(EmbeddingModelActView):
    @idempotent
    @route("switch_embedding_model", "Use the next embedding model", OperationOutput, 202)
    def post(self, bank_id: str) -> object:
        """In the state `ready`. The former vectors are kept, and kept up, until the change is finished."""
        return embedding_model.request_act(self.access, bank_id, "switch")


class RollbackView(EmbeddingModelActView):
    @idempotent
    @route("roll_back_embedding_model", "Use the former embedding model again", OperationOutput, 202)
    def post(self, bank_id: str) -> object:
        """In the state `switched`, which becomes `ready` again."""
        return embedding_model.request_act(self.access, bank_id, "rollback")


class FinishView(EmbeddingModelActView):
    @idempotent
    @route("finish_embedding_model", "Delete the vectors of the former embedding model", OperationOutput, 202)
    def post(self, bank_id: str) -> object:
        """In the state `switched`. The bank can't be rolled back any more."""
        return embedding_model.request_act(self.access, bank_id, "finish")
