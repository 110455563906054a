import json
from pathlib import Path

from recense.bench.corpus import FREQUENT, make_corpus, sessions_at
from recense.bench.corpus_texts import CHINESE_SHARE


def _bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_equal_seeds_make_equal_corpora_and_others_other_ones(tmp_path: Path) -> None:
    made: list[dict[str, bytes]] = []
    for name, seed in (("one", 7), ("same", 7), ("other", 8)):
        folder = tmp_path / name
        folder.mkdir()
        made.append((make_corpus(str(folder), seed=seed, sessions=6), _bytes_of(folder))[1])
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_a_corpus_is_what_it_says_it_is(tmp_path: Path) -> None:
    corpus = make_corpus(str(tmp_path), seed=7, sessions=12)
    files = _bytes_of(tmp_path)
    assert corpus.bytes == sum(map(len, files.values()))
    assert {f"{name}.jsonl" for name in corpus.messages} == files.keys()
    for needle in (*corpus.needles, *corpus.han_needles):
        assert sum(content.count(needle.encode()) for content in files.values()) == 1
    assert len(set(corpus.needles)) == len(set(corpus.han_needles)) == 12


def test_a_corpus_has_the_shape_of_real_files(tmp_path: Path) -> None:
    make_corpus(str(tmp_path), seed=7, sessions=50)
    searched = results = chinese = said = repeated = often = 0
    for content in _bytes_of(tmp_path).values():
        for line in content.splitlines():
            record = json.loads(line)
            body = record.get("message", {}).get("content", "")
            for block in [{"type": "said", "text": body}] if isinstance(body, str) else body:
                text = block.get("text") or block.get("content") or ""
                searched += len(text.encode())
                if block["type"] == "tool_result":
                    results += len(text.encode())
                    repeated += record["toolUseResult"]["stdout"] == text
                elif text:
                    said += 1
                    chinese += any("\u4e00" <= character <= "\u8fff" for character in text[10:40])
                    often += FREQUENT in text
    assert 0.75 < results / searched < 0.95
    assert abs(chinese / said - CHINESE_SHARE) < 0.1
    assert 0.3 < often / said < 0.6
    assert repeated


def test_the_scale_multiplies_sessions_and_leaves_at_least_one() -> None:
    assert (sessions_at(1), sessions_at(0.05), sessions_at(1e-9)) == (2_000, 100, 1)
