import sys

from memoryplatform_client.cli.entry import main

sys.exit(main())
