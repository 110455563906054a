"""What became of a client's files, as lines. Pure."""

from recense.cli.lines import Line, StyledText, indented_lines, line, span
from recense.cli.render_recall import counted
from recense.operations.connecting import ConnectedFile, ConnectReport

_BECAME = {
    "made": "made",
    "changed": "changed",
    "unchanged": "as it is to be already",
    "removed": "removed",
}

_WOULD_BECOME = {**_BECAME, "made": "would be made", "changed": "would be changed"}
_WOULD_BECOME["removed"] = "would be removed"


def connect_lines(report: ConnectReport) -> list[Line]:
    """Return what became of each file, or would, and what the server said when it was tried."""
    lines: list[Line] = []
    for file in report.files:
        lines += _file_lines(file, report)
    lines += [line(span("note: ", "faint"), note) for note in report.notes]
    if report.tools is not None:
        lines.append(line(f"The server was started and tells of {counted(report.tools, 'tool')}."))
    if report.done and report.files:
        lines.append(_end_line(report))
    return lines


def _end_line(report: ConnectReport) -> Line:
    if all(file.change == "unchanged" for file in report.files):
        return line(f"{report.title} is connected already.")
    if report.removed:
        return line(f"{report.title} is no longer connected. Restart it.")
    return line(f"{report.title} is connected as {report.name}. Restart it.")


def _file_lines(file: ConnectedFile, report: ConnectReport) -> list[Line]:
    words = _BECAME if report.done else _WOULD_BECOME
    lines = [line(span(file.path, "title"), f"  {words[file.change]}")]
    if file.backup:
        lines.append(line(span(f"as it was before: {file.backup}", "faint"), indent=3))
    if report.done:
        return lines
    sign, style = ("-", "bad") if report.removed else ("+", "good")
    for splice in file.splices:
        lines.append(line(span(f"@@ line {splice.line} @@", "faint"), indent=3))
        text = "".join(f"{sign}{row}\n" for row in splice.text.splitlines()).rstrip("\n")
        lines += indented_lines([StyledText(text=text, style=style)], indent=3)
    return lines
