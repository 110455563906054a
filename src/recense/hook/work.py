"""What the hook does with a transcript that changed: archive it, and nothing else."""

from collections.abc import Mapping, Sequence

from recense.settings.loading import load_settings
from recense.wiring import open_archive


def archive_files(
    environment: Mapping[str, str], home: str, working_folder: str, paths: Sequence[str]
) -> list[str]:
    """Archive these files in the store of this machine's settings, made when it is missing.

    Returns what went wrong with single files; the first path is the transcript, and what stands
    beside it may be no session. Raises SettingsInvalid and the faults of the store.
    """
    settings = load_settings({}, environment, home, working_folder)
    archive = open_archive(settings)
    faults: list[str] = []
    try:
        for number, path in enumerate(paths):
            outcome = archive.archive(path)
            if outcome is None and number == 0:
                faults.append(f"{path}: its name is that of no agent's session")
            elif outcome is not None and outcome.result == "failed":
                faults.append(f"{path}: {outcome.reason}")
    finally:
        archive.close()
    return faults
