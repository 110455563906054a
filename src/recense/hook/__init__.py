"""The agent hook, ``recense-hook``: after a turn, an agent has what is new in its session archived.

`main` is the program, `asked` what an agent tells it, `rollouts` where Codex keeps a thread,
`single_flight` how many hooks at once do the work once, `late` what is loaded only for a file that
changed, and `work` that.
"""
