"""`/v1/account/llm-log` and `/v1/account/llm-requests`: the tenant's log of LLM requests."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.pagination import PageInput, keep_filters, page_of, paginate
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.account import ADMIN, AccountView
from memoryplatform.operations.account import llm_log
from memoryplatform.operations.models import TASKS
from tenants.transactions import tenant_transaction


class LLMLogInput(Input):
    days = serializers.IntegerField(
        min_value=0, max_value=llm_log.MOST_DAYS, help_text="Days that a request is kept. 0: the log is off."
    )


class LLMLogOutput(Output):
    days = serializers.IntegerField(help_text="Days that a request is kept. 0: the log is off.")


class LLMRequestInput(PageInput):
    task = serializers.ChoiceField(TASKS, required=False)
    model = serializers.CharField(required=False, max_length=200)
    bank_id = serializers.CharField(required=False, max_length=200)
    operation_id = serializers.UUIDField(required=False)
    outcome = serializers.CharField(required=False, max_length=60, help_text="Such as ok or LLMTimeout.")
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False, help_text="Exclusive.")


class LLMRequestOutput(Output):
    llm_request_id = serializers.UUIDField(source="id")
    created_at = serializers.DateTimeField(help_text="When the call ended.")
    task = serializers.CharField(help_text="extract, reflect, observe or judge.")
    service = serializers.CharField(help_text="llm, or own_llm for a model of the tenant's own.")
    model = serializers.CharField()
    bank_id = serializers.CharField(source="bank_key", help_text="Empty if several banks were read.")
    operation_id = serializers.UUIDField(allow_null=True, help_text="The operation that asked, where one did.")
    outcome = serializers.CharField(help_text="ok, abandoned, or the class of the error.")
    milliseconds = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    calls = serializers.IntegerField(help_text="Answers of the model: 2 if it had to correct the first.")
    estimated = serializers.BooleanField(help_text="The tokens were counted here, not by the endpoint.")
    cost = serializers.DecimalField(
        max_digits=20,
        decimal_places=9,
        allow_null=True,
        help_text="By the operator's prices of that time, as a text. Null without a price.",
    )


class ChatMessageOutput(Output):
    role = serializers.CharField()
    content = serializers.CharField()


class FullLLMRequestOutput(LLMRequestOutput):
    prompt = ChatMessageOutput(
        source="messages", many=True, allow_null=True, help_text="Null if no key of the service decrypts it any more."
    )
    answer = serializers.CharField(source="readable_answer", allow_null=True, help_text="Null like the prompt.")


class LLMLogView(AccountView):
    scopes = ADMIN

    @route("get_llm_log", "Get the setting of the log of LLM requests", LLMLogOutput)
    def get(self) -> object:
        return {"days": llm_log.get_log_days(self.caller)}

    @route("change_llm_log", "Turn the log of LLM requests on or off", LLMLogOutput, body=LLMLogInput)
    def put(self, body: LLMLogInput) -> object:
        """0 deletes the log at once, and fewer days than before delete the older requests."""
        return {"days": llm_log.set_log_days(self.caller, body.validated_data["days"])}


class LLMRequestsView(AccountView):
    scopes = ADMIN

    @route(
        "list_llm_requests",
        "List LLM requests, newest first",
        page_of("requests", LLMRequestOutput),
        query=LLMRequestInput,
    )
    def get(self, wanted: dict[str, Any]) -> object:
        """Without prompts and answers. Empty while the log is off."""
        caller = self.caller
        with tenant_transaction(caller.tenant_id):
            rows = llm_log.find_requests(caller, llm_log.RequestFilter(**keep_filters(wanted)))
            return paginate(rows, wanted, of=caller.tenant_id)


class LLMRequestView(AccountView):
    scopes = ADMIN

    @route("get_llm_request", "Get an LLM request with its prompt and answer", FullLLMRequestOutput)
    def get(self, llm_request_id: UUID) -> object:
        return llm_log.get_request(self.caller, llm_request_id)
