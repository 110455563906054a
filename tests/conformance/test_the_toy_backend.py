"""The example of docs/backends.md is complete, and passes."""

import re

import pytest

from tests.conftest import PROJECT


def test_the_example_of_a_backend_runs_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    text = (PROJECT / "docs" / "backends.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    exec(compile(program, "docs/backends.md", "exec"), {"__name__": "toy"})  # noqa: S102 - ours
    printed = capsys.readouterr().out
    assert "watermark is not declared, and what calls it is refused" in printed
    assert "0 failed, 0 untested" in printed
