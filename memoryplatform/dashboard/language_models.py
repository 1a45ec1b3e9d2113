"""The page of the tenant's own language models: one for all tasks, and one for each task that has its own."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.forms import model_to_dict
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memoryplatform.dashboard.access import TenantRequest, perform, tenant_page
from memoryplatform.operations.account import own_llm as llms
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.errors import AccountError, AccountInvalid
from memoryplatform.operations.account.llm_log import MOST_DAYS, get_log_days
from providers import registry
from providers.llm.protocol import Task
from tenants.models import OwnLLM

TASKS = {
    "all": ("All tasks", "Serves every task below that has no model of its own."),
    "extract": ("Reading", "Finds the facts in what is retained. A fast, cheap model does."),
    "judge": ("Decisions", "Duplicates, contradictions, verdicts about opinions, names. Short answers."),
    "observe": ("Observations", "Writes what is known about a person or a thing."),
    "reflect": ("Answers", "Writes answers and opinions. The strongest model belongs here."),
    "fallback": ("Fallback", "Takes over while another model can't be reached."),
}


class OwnLLMForm(forms.Form):
    base_url = forms.CharField(label="Base URL", max_length=2_000, help_text="Such as https://api.openai.com/v1.")
    model = forms.CharField(label="Model", max_length=200)
    api_key = forms.CharField(
        label="Key",
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Leave it empty to keep the stored key of this base URL, or if the endpoint needs none.",
    )
    reasoning_effort = forms.CharField(
        label="Reasoning effort", max_length=20, required=False, help_text="Such as low. Empty: the model's own."
    )
    temperature = forms.FloatField(
        label="Temperature", min_value=0, max_value=2, required=False, help_text="Empty: what suits the task."
    )
    timeout_seconds = forms.FloatField(
        label="Time limit of a call, in seconds", min_value=1, max_value=llms.LONGEST_SECONDS, required=False
    )


@dataclass(frozen=True)
class TaskRow:
    """`served_by` names the model that serves the task where the tenant has none for it."""

    task: str
    name: str
    purpose: str
    own: OwnLLM | None
    served_by: str


@never_cache
@tenant_page(Right.MANAGE)
@require_http_methods(["GET", "POST"])
def own_llm(request: TenantRequest) -> HttpResponse:
    """All tasks with their models, and the form of the task that the address names."""
    stored = {one.task: one for one in llms.list_own_llms(request.access)}
    task = read_task(request.GET.get("task"))
    form = OwnLLMForm(request.POST or None, initial=model_to_dict(stored[task]) if task in stored else None)
    if request.method == "POST" and form.is_valid() and save(request, form, task, list(stored.values())):
        return redirect("own_llm")
    context = {
        "rows": [build_row(one, stored) for one in TASKS],
        "row": build_row(task, stored),
        "form": form,
        "service_model": registry.find_llm(Task.REFLECT),
        "log_days": get_log_days(request.access),
        "most_log_days": MOST_DAYS,
    }
    return render(request, "dashboard/own_llm.html", context, status=422 if form.errors else 200)


def save(request: TenantRequest, form: OwnLLMForm, task: str, stored: list[OwnLLM]) -> bool:
    """An empty key keeps the stored one, for a base URL that has one."""
    given = dict(form.cleaned_data)
    given["base_url"] = given["base_url"].rstrip("/")
    given["model"] = given["model"].strip()
    if not given["api_key"] and any(one.base_url == given["base_url"] for one in stored):
        given["api_key"] = None
    try:
        llms.save_own_llm(request.access, llms.LLMChoice(**given), task)
    except AccountInvalid as error:
        for field, fault in error.faults.items():
            form.add_error(field, fault)
    except AccountError as error:
        form.add_error(None, str(error))
    else:
        messages.success(request, f"{given['model']} answered and serves {request.membership.name} from now on.")
        return True
    return False


def build_row(task: str, stored: dict[str, OwnLLM]) -> TaskRow:
    name, purpose = TASKS[task]
    return TaskRow(task, name, purpose, stored.get(task), name_server(task, stored.get("all")))


def name_server(task: str, for_all: OwnLLM | None) -> str:
    if task == "fallback":
        return ""
    if for_all is not None:
        return f"{for_all.model}, as for all tasks" if task != "all" else for_all.model
    service = registry.find_llm(Task.REFLECT if task == "all" else Task(task))
    return f"{service.model_id}, the service's model" if service else "the built-in engine"


def read_task(given: str | None) -> str:
    """The task of an address. Nonsense counts as `all`."""
    return given if given in TASKS else "all"


@tenant_page(Right.MANAGE)
@require_POST
def delete_own_llm(request: TenantRequest) -> HttpResponse:
    def act() -> str:
        llms.delete_own_llm(request.access, read_task(request.POST.get("task")))
        return "The language model is removed, and its key is erased."

    return perform(request, act, "own_llm")
