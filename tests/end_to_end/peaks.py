"""How much memory a process has held at most."""

import resource
from pathlib import Path


def peak_bytes() -> int:
    """Return the peak resident memory of this process, in bytes.

    Linux counts the memory of the parent before exec into what `getrusage` says, which would make a
    child of a large test run look large; what /proc says begins anew.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
