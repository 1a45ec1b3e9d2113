#!/usr/bin/env python
"""Django's command line, on the embedded settings unless DJANGO_SETTINGS_MODULE says otherwise."""

import sys

from memoryplatform.command_line import run_django

if __name__ == "__main__":
    run_django(sys.argv[0], sys.argv[1:])
