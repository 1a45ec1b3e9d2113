"""The step between `up` and a child: drop root, end with the parent, and become the child's program.

Run as a script by a bare interpreter, because the same work in a `preexec_fn` is not safe once threads run.
Arguments: parent's pid, signal on its death, uid, gid (each -1 for no change), program, its arguments.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def main(argv: list[str]) -> None:
    parent, death_signal, uid, gid = map(int, argv[:4])
    library = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    if uid != -1:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if library is not None:  # after setuid, which clears it
        library.prctl(PR_SET_PDEATHSIG, death_signal)
    if os.getppid() != parent:
        sys.exit("The process that started this one is gone.")
    os.umask(0o077)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores the signal, and exec would keep that
    os.execv(argv[4], argv[4:])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(sys.argv[1:])
