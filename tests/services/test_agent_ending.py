"""A polite end is asked for, and leaves signals as they were."""

import signal
import threading

import pytest

from recense.errors import InvalidRequest
from recense.services.agent_ending import ending_on_sigterm


def test_sigterm_ends_the_block_as_the_end_of_the_program_and_is_whose_it_was_after_it() -> None:
    seen = list[int]()
    before = signal.signal(signal.SIGTERM, lambda number, _frame: seen.append(number))
    try:
        with pytest.raises(SystemExit) as ended, ending_on_sigterm():
            signal.raise_signal(signal.SIGTERM)
        assert ended.value.code == 143
        assert seen == []
        signal.raise_signal(signal.SIGTERM)
        assert seen == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_second_sigterm_is_not_held_back() -> None:
    with ending_on_sigterm():
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_it_is_refused_where_python_handles_no_signals() -> None:
    refused = list[InvalidRequest]()

    def enter() -> None:
        try:
            with ending_on_sigterm():
                pass
        except InvalidRequest as error:
            refused.append(error)

    thread = threading.Thread(target=enter, name="another")
    thread.start()
    thread.join(timeout=30)
    assert "in thread 'another'" in refused[0].message
