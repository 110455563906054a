"""What was put into the files of clients, written down so that it can be taken out again.

A receipt is written before the file it speaks of, so that there is none without one; one that came
to nothing is harmless, since what it names is then not found. It holds no more of a file than what
we put into it.
"""

import hashlib
import os
from typing import Final

import msgspec

from recense.core.connect.splices import Addition, Splice
from recense.core.values import Value
from recense.errors import ClientFileUnusable
from recense.services.client_files import (
    ClientFile,
    read_client_file,
    remove_client_file,
    write_client_file,
)

_DIGEST_BYTES: Final = 8


class Receipt(Value, kw_only=True):
    """What was put into a file: what was asked for, how it was spliced, the digest of the text that
    this left, and, where there was no file, the folders that were made for it.
    """

    path: str
    asked: tuple[Addition, ...]
    splices: tuple[Splice, ...]
    digest: str
    made_file: bool
    made_folders: tuple[str, ...]


class Receipts:
    """The receipts of a person, a file each in one folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def get(self, client: str, name: str, path: str) -> Receipt | None:
        """Return the receipt for a server of a client in a file; None where there is none.

        Raises ClientFileUnusable for one that cannot be read.
        """
        file = self._file(client, name, path)
        if file.content is None:
            return None
        try:
            return msgspec.json.decode(file.content, type=Receipt)
        except msgspec.MsgspecError as error:
            raise ClientFileUnusable(
                f"{file.path} is no receipt of ours any more",
                hint=f"remove it, and what stands in {path} yourself",
            ) from error

    def put(self, client: str, name: str, receipt: Receipt) -> None:
        """Keep a receipt in the place of the one before."""
        text = msgspec.json.encode(receipt).decode("utf-8")
        write_client_file(self._file(client, name, receipt.path), text)

    def drop(self, client: str, name: str, path: str) -> None:
        """Forget a receipt; with the last one go the folders of receipts and of our data, if
        they hold nothing else.
        """
        file = self._file(client, name, path)
        if file.content is not None:
            remove_client_file(file, (os.path.dirname(self._folder), self._folder))

    def _file(self, client: str, name: str, path: str) -> ClientFile:
        digest = hashlib.blake2b(os.fsencode(path), digest_size=_DIGEST_BYTES).hexdigest()
        return read_client_file(os.path.join(self._folder, f"{client}.{name}.{digest}.json"))


def receipts_folder(data_folder: str) -> str:
    """Return where receipts lie in the folder of a person's data."""
    return os.path.join(data_folder, "connections")
