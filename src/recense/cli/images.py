"""Images in a terminal: what is sent to the few kinds that show them.

Law: bytes of a picture reach a terminal only inside base64, which cannot steer it, and only to one
that its environment names as a kind that reads them. Any other gets nothing.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Final, Literal

Graphics = Literal["kitty", "iterm"]
"""Protocols: that of kitty, which takes PNG, and that of iTerm2, which WezTerm shares."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_OTHERS: Final = (b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
"""How PNG, JPEG and GIF begin, which every iTerm2 reads."""

_CHUNK: Final = 4_096
"""Base64 in one escape sequence of kitty's, which takes no more."""

_SHORT_OF_GRAPHICS: Final = ("dumb", "unknown", "screen", "tmux", "linux")
"""How TERM begins where nothing is shown, or where what stands between us and the terminal would
swallow it."""


def graphics_of(environment: Mapping[str, str]) -> Graphics | None:
    """Return the protocol that a terminal of this environment reads, or None."""
    terminal = environment.get("TERM", "")
    program = environment.get("TERM_PROGRAM", "")
    if environment.get("TMUX") or terminal.startswith(_SHORT_OF_GRAPHICS):
        return None
    if environment.get("KITTY_WINDOW_ID") or terminal in {"xterm-kitty", "xterm-ghostty"}:
        return "kitty"
    return "iterm" if program in {"iTerm.app", "WezTerm"} else None


def picture_text(data: bytes, environment: Mapping[str, str]) -> str:
    """Return what shows an image in a terminal of this environment, and ends its line; empty where
    nothing does.
    """
    graphics = graphics_of(environment)
    if graphics == "kitty" and data.startswith(_PNG):
        return "".join(_kitty(base64.b64encode(data).decode("ascii"))) + "\n"
    if graphics == "iterm" and data.startswith((_PNG, *_OTHERS)):
        encoded = base64.b64encode(data).decode("ascii")
        return f"\x1b]1337;File=inline=1;size={len(data)}:{encoded}\x07\n"
    return ""


def _kitty(encoded: str) -> Iterator[str]:
    """Yield the escape sequences that transmit and show a PNG; ``q=2`` asks for no reply."""
    for start in range(0, len(encoded), _CHUNK):
        is_more = int(start + _CHUNK < len(encoded))
        keys = f"a=T,f=100,q=2,m={is_more}" if start == 0 else f"m={is_more}"
        yield f"\x1b_G{keys};{encoded[start : start + _CHUNK]}\x1b\\"
