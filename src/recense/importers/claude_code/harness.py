"""What the harness itself said, in the words that tell most."""

from collections.abc import Iterator

from recense.core.transcript.events import Error
from recense.importers.lines import list_of, mapping_of, text_of


def failure_of(error: object, refusal: object, content: str) -> Iterator[Error]:
    """Yield an error of the service, by the most telling of the words that came with it."""
    fields = mapping_of(error)
    inner = mapping_of(mapping_of(fields.get("error")).get("error"))
    for words in (
        fields.get("formatted"),
        fields.get("message"),
        inner.get("message"),
        refusal,
        error,
        content,
    ):
        text = text_of(words)
        if text.strip():
            yield Error(text=text)
            return


def hook_text(attachment: dict[str, object]) -> str:
    """Return what a hook said: to the model where it did, else on its outputs."""
    blocking = mapping_of(attachment.get("blockingError"))
    content = attachment.get("content")
    lines = [text_of(line) for line in list_of(content)]
    return (
        text_of(content)
        or "\n".join(line for line in lines if line)
        or text_of(blocking.get("blockingError"))
        or text_of(attachment.get("stdout"))
        or text_of(attachment.get("stderr"))
    )
