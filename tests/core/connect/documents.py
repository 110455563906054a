"""Documents of JSON with comments and of TOML, drawn with all that their grammars allow."""

import json
from collections.abc import Sequence

from hypothesis import strategies as st

_TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["mcpServers", "recense", "//", "/* x */", "\\", '"', ",", "{", "}", "é\u2028"]
)

SCALARS = st.sampled_from([None, True, 0, -1.5e300, 10**20]) | _TEXTS


def _gaps(line_end: str, *, comments: bool) -> st.SearchStrategy[str]:
    """Return what may stand between two tokens."""
    pieces = ["", "", " ", "\t", line_end, f"{line_end}  ", f"{line_end}\t"]
    if comments:
        words = ("", " é", '"', "{", "}", ",", "//", "/* ", " * /", "\u2028", "a: 1,")
        pieces += [f"{blank}//{word}{line_end}" for word in words for blank in ("", " ")]
        pieces += [f"{blank}/*{word}*/" for word in (*words, line_end) for blank in ("", " ")]
    return st.sampled_from([*pieces, *(one + two for one in pieces[::3] for two in pieces[::5])])


@st.composite
def json_documents(draw: st.DrawFn, paths: Sequence[tuple[str, ...]]) -> str:
    """Draw a document whose root is an object, or a document of nothing.

    The names of the paths are objects where they are drawn, and each is said at most once where it
    matters; the last name of a path does not occur there.
    """
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    gaps = _gaps(line_end, comments=draw(st.booleans()))
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    if draw(st.integers(0, 9)) == 0:
        return mark + draw(gaps)
    trailing = draw(st.booleans())

    def group(members: list[str], opening: str, closing: str) -> str:
        text = opening
        for number, member in enumerate(members):
            comma = "," if number + 1 < len(members) or (trailing and draw(st.booleans())) else ""
            text += draw(gaps) + member + draw(gaps) + comma
        return text + draw(gaps) + closing

    def value(depth: int) -> str:
        kind = draw(st.integers(0, 3 if depth < 2 else 1))
        if kind == 2:
            return group([value(depth + 1) for _ in range(draw(st.integers(0, 3)))], "[", "]")
        if kind == 3:
            return an_object(depth + 1, ())
        return json.dumps(draw(SCALARS), ensure_ascii=draw(st.booleans()))

    def an_object(depth: int, below: Sequence[tuple[str, ...]]) -> str:
        ours = {path[0] for path in below}
        names = [name for name in draw(st.lists(_TEXTS, max_size=3)) if name not in ours]
        members = [_member(name, value(depth)) for name in names]
        for name in sorted(ours):
            deeper = [path[1:] for path in below if path[0] == name and len(path) > 1]
            if deeper and draw(st.booleans()):
                place = draw(st.integers(0, len(members)))
                members.insert(place, _member(name, an_object(depth + 1, deeper)))
        return group(members, "{", "}")

    def _member(name: str, text: str) -> str:
        return json.dumps(name) + draw(gaps) + ":" + draw(gaps) + text

    return mark + draw(gaps) + an_object(0, paths) + draw(gaps)


_LINES = (
    "# a comment",
    "",
    "   ",
    'model = "o9"',
    'site."a.b" = """\n[mcp_servers.recense]\n"""',
    "limits = [\n  1, # one\n  [2, 3],\n]",
    "started = 2026-03-01T08:00:00Z",
    "ratio = nan",
    "[mcp_servers.docs]",
    'command = "docs" # the one',
    "[[profiles]]",
    "name = 'a'",
    "[profiles.deep]",
    "[tools]",
    "inline = { a = 1 }",
    "mcp_servers.other.url = 'https://example.com'",
)


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Draw lines that are often a document of TOML, and sometimes none."""
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = draw(st.lists(st.sampled_from(_LINES), max_size=8))
    text = "\n".join(lines) + ("\n" if lines and draw(st.booleans()) else "")
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", line_end)
