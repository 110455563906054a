"""The commands of keys: what they ask, what they refuse, and what they print of a key."""

import pytest

from recense.errors import NotFound
from recense.operations.keys import IssueKey, ListKeys, RenewKey, RevokeKey
from tests.cli.fake_memory import FakeMemory
from tests.cli.key_words import INVENTED, KEY_ID
from tests.cli.running import run_here


def asked_by(*words: str) -> list[object]:
    memory = FakeMemory()
    ran = run_here(*words, memory=memory)
    assert (ran.exit_code, ran.err) == (0, "")
    return memory.asked


def test_issue_asks_for_a_key_of_the_namespace_in_force() -> None:
    words = ("keys", "issue", "--namespace", "team-a", "--agent", "deployer", "--expires", "30d")
    assert asked_by(*words, "--scopes", "recall, read-only") == [
        ("open_keys", {"namespace": "team-a"}, True),
        (
            "issue",
            IssueKey(
                agent="deployer", scopes=("recall", "read-only"), expires_in_seconds=30 * 86_400
            ),
        ),
    ]
    assert asked_by("keys", "issue")[1] == ("issue", IssueKey())


@pytest.mark.parametrize(
    ("word", "seconds"), [("90s", 90), ("15m", 900), ("12h", 43_200), ("7d", 604_800)]
)
def test_a_time_is_a_number_and_a_letter(word: str, seconds: int) -> None:
    asked = asked_by("keys", "renew", KEY_ID, "--expires", word)
    assert asked[1] == ("renew", RenewKey(id=KEY_ID, expires_in_seconds=seconds))


@pytest.mark.parametrize(
    "word", ["", "30", "d", "-1d", "1.5h", "30D", "1d12h", "٣d", "9" * 12 + "d"]
)
def test_what_is_no_time_is_bad_usage(word: str) -> None:
    ran = run_here("keys", "issue", "--expires", word)
    assert ran.exit_code == 2
    assert "--expires 30d, 12h, 15m or 90s" in ran.err


def test_a_scope_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    ran = run_here("keys", "issue", "--scopes", "recall,everything")
    assert ran.exit_code == 2
    assert "'everything' is none of recall, remember, agent, import, admin, read-only" in ran.err


def test_only_issuing_may_make_a_file() -> None:
    for words in (("keys",), ("keys", "list"), ("keys", "revoke", KEY_ID)):
        assert asked_by(*words)[0] == ("open_keys", {}, False)


def test_list_and_revoke_ask_as_they_are_told() -> None:
    assert asked_by("keys", "list", "--all", "--limit", "2", "--after", "x")[1] == (
        "list",
        ListKeys(everywhere=True, limit=2, after="x"),
    )
    assert asked_by("keys", "revoke", KEY_ID)[1] == ("revoke", RevokeKey(id=KEY_ID))


def test_a_key_is_printed_when_it_is_issued_and_by_no_other_command() -> None:
    assert run_here("keys", "issue").out.splitlines()[0] == INVENTED
    for words in (
        ("keys",),
        ("keys", "renew", KEY_ID, "--expires", "1h"),
        ("keys", "revoke", KEY_ID),
    ):
        for as_json in ((), ("--json",)):
            assert INVENTED not in run_here(*words, *as_json).out


def test_a_key_that_is_typed_where_its_id_belongs_is_not_repeated() -> None:
    key = "rc" + "l_k7wq2mzx4tb6rj5h_" + "k7wq2mzx4tb6rj5hc3fy" * 3
    memory = FakeMemory(error=NotFound(f"there is no key {key}"))
    for words in (("keys", "revoke", key), ("keys", "issue", "--scopes", key)):
        ran = run_here(*words, memory=memory)
        assert ran.exit_code > 0
        assert "k7wq2mzx4tb6rj5hc3fy" not in ran.out + ran.err
