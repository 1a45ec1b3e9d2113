"""A real worker with the probe kinds registered: `python tests/operations/worker_process.py GROUP`."""

import sys

import django

if __name__ == "__main__":
    django.setup()
    import tests.operations.probe_kinds  # noqa: F401  # registers them
    from memoryplatform.operations.running.worker import serve

    serve(sys.argv[1])
