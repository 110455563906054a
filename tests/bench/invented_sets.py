"""Small retrieval sets in the formats of the real ones, about invented people."""

import json
from pathlib import Path

TEA = "We drank smoked tea on the pier"
KITE = "My kite tore in the storm"
BOAT = "I painted the boat green"
PLUM = "The plum tree bloomed early"


def _turn(name: str, speaker: str, text: str, caption: str | None = None) -> dict[str, object]:
    turn: dict[str, object] = {"speaker": speaker, "dia_id": name, "text": text}
    return turn if caption is None else turn | {"blip_caption": caption, "query": "left out"}


def locomo_sample(name: str) -> dict[str, object]:
    """Return a conversation of Ilka and Bram: two sessions, three questions that count."""
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ilka",
            "speaker_b": "Bram",
            "session_2_date_time": "12:05 am on 1 June, 2023",
            "session_2": [
                _turn("D2:1", "Bram", BOAT),
                _turn("D2:2", "Ilka", PLUM, "a photo of a plum tree"),
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [_turn("D1:1", "Ilka", TEA), _turn("D1:2", "Bram", KITE)],
        },
        "qa": [
            {"question": "Who painted the boat?", "evidence": ["D2:1"], "category": 1, "answer": 3},
            {"question": "What tore?", "evidence": ["D1:02; D9:9"], "category": 2},
            {"question": "Did the plum bloom?", "evidence": ["D1:1 D2:2"], "category": 4},
            {"question": "Who flew the moon?", "evidence": ["D1:1"], "category": 5},
            {"question": "What was served?", "evidence": ["D", "D:1:1"], "category": 3},
        ],
        "event_summary": {"left": "out"},
    }


def memdaily_trajectory(number: int) -> dict[str, object]:
    """Return four messages and a question whose answer stands in two of them, and a failed one."""
    said = ["我把船漆成了绿色。", "风筝在暴风雨里破了。", "我们在码头喝了熏茶。", "李树开花了。"]
    return {
        "tid": number,
        "message_list": [
            {
                "mid": mid,
                "message": text,
                "time": f"2024年04月0{mid + 1}日 周一 08:39",
                "place": "港",
            }
            for mid, text in enumerate(said)
        ],
        "question_list": [
            {
                "qid": 0,
                "question": "风筝和熏茶怎么样了？",
                "answer": "破了",
                "target_step_id": [1, 2],
                "choices": {"A": "破了"},
                "ground_truth": "A",
                "time": "2024年04月05日 周五 09:00",
            },
            {"qid": 1, "question": "ERRORQ", "answer": "?", "target_step_id": [0]},
        ],
    }


def write_sets(folder: Path, *, conversations: int = 3, trajectories: int = 3) -> Path:
    """Write both sets below a folder of data, and return it."""
    locomo = folder / "retrieval" / "locomo"
    memdaily = folder / "retrieval" / "memdaily-zh"
    locomo.mkdir(parents=True)
    memdaily.mkdir(parents=True)
    samples = [locomo_sample(f"talk-{number}") for number in range(conversations)]
    (locomo / "locomo10.json").write_text(json.dumps(samples), encoding="utf-8")
    lots = [memdaily_trajectory(number) for number in range(trajectories)]
    (memdaily / "01_days.json").write_text(json.dumps(lots, ensure_ascii=False), encoding="utf-8")
    return folder
