"""Facts to hide and the three ways to ask for each: by its own rare word, by two common words that
stand together nowhere else on purpose, and in other words.

Every common word is a guest of the corpus's vocabulary, so that it is frequent there. The other
words say the same and share nothing with it.
"""

import random
from itertools import combinations, product
from typing import Final, Literal

from recense.bench.corpus import Hidden
from recense.bench.corpus_texts import SYLLABLES
from recense.core.values import Value

ENGLISH: Final = {
    "timeout": "waiting limit",
    "backup": "spare copy",
    "invoice": "bill",
    "printer": "paper machine",
    "harbour": "port",
    "schedule": "plan of hours",
    "bridge": "crossing",
    "meeting": "gathering",
    "budget": "spending plan",
    "vehicle": "automobile",
    "physician": "doctor",
    "garden": "yard",
    "lantern": "light",
    "kitchen": "cooking room",
    "journey": "trip",
    "contract": "agreement",
    "photograph": "picture",
    "engine": "motor",
    "carpet": "rug",
    "forest": "woods",
    "festival": "celebration",
    "library": "reading hall",
    "blanket": "bedding",
    "stomach": "belly",
    "sketch": "drawing",
    "storm": "tempest",
    "village": "hamlet",
    "wallet": "purse",
    "mistake": "error",
    "prison": "jail",
    "weapon": "arms",
    "breakfast": "morning meal",
}
"""Common words, and other ones for the same."""

CHINESE: Final = {
    "缓存": "暂放数据",
    "备份": "副本",
    "日志": "运行记录",
    "超时": "等待过久",
    "发票": "收款凭证",
    "打印机": "出纸设备",
    "港口": "码头",
    "日程": "时间安排",
    "桥梁": "过河通道",
    "会议": "碰头",
    "预算": "花费计划",
    "车辆": "汽车",
    "医生": "大夫",
    "花园": "院子",
    "台灯": "照明",
    "厨房": "做饭间",
    "旅行": "出游",
    "合同": "协定",
    "照片": "相册",
    "引擎": "发动机",
    "地毯": "铺垫",
    "森林": "树丛",
    "节日": "庆典",
    "图书馆": "藏书楼",
}

COMMON: Final = (*ENGLISH, *CHINESE)

_HAN_RARE_FROM: Final = (0x6000, 0x7000)
"""Characters from here on stand in no other text of the corpus."""


class FactForm(Value, kw_only=True):
    """How the facts of a sort read: whose words they are, the fact, and a question in other words.

    ``{a}`` and ``{b}`` stand for the common words, or for what says the same; ``{rare}`` for the
    rare one.
    """

    by: Literal["user", "assistant", "tool"]
    fact: str
    question: str


FORMS: Final = {
    "ascii": FactForm(
        by="user",
        fact="The {a} of the {b} is called {rare}.",
        question="What is the {a} of the {b} called?",
    ),
    "cjk": FactForm(by="user", fact="{b}的{a}叫做{rare}。", question="{b}的{a}叫什么？"),
    "mixed": FactForm(
        by="assistant", fact="{b} 里的 {a} 现在叫 {rare}。", question="{b} 里的 {a} 现在叫什么？"
    ),
    "code": FactForm(
        by="assistant",
        fact="def {rare}({a}: int, {b}: int) -> int:\n    return {a} % {b}",
        question="Which function takes the {a} and the {b}?",
    ),
    "path": FactForm(
        by="assistant",
        fact="/srv/{a}/{b}/{rare}.toml: 3 lines",
        question="Which file is kept for the {a} and the {b}?",
    ),
    "error": FactForm(
        by="tool",
        fact="{rare}: the {a} was refused by the {b} (code 17)",
        question="What failed when the {b} turned the {a} down?",
    ),
}


class HiddenFact(Value, kw_only=True):
    """One fact; ``rare`` stands in it and nowhere else, ``common`` are two frequent words of it,
    and ``question`` asks for it in other words.
    """

    sort: str
    hidden: Hidden
    rare: str
    common: tuple[str, str]
    question: str


def make_facts(count: int, dice: random.Random) -> list[HiddenFact]:
    """Return facts of each sort in turn; no two of them share both common words.

    There are pairs for a little more than 700.
    """
    pairs = {
        "english": list(combinations(ENGLISH, 2)),
        "cjk": list(combinations(CHINESE, 2)),
        "mixed": list(product(ENGLISH, CHINESE)),
    }
    for of in pairs.values():
        dice.shuffle(of)
    sorts = [*FORMS]
    return [
        _fact(sort, number, pairs[sort if sort in pairs else "english"].pop(), dice)
        for number in range(count)
        for sort in [sorts[number % len(sorts)]]
    ]


def _fact(sort: str, number: int, common: tuple[str, str], dice: random.Random) -> HiddenFact:
    form = FORMS[sort]
    a, b = common
    rare = _rare(sort, number, dice)
    said = ENGLISH | CHINESE
    return HiddenFact(
        sort=sort,
        hidden=Hidden(by=form.by, text=form.fact.format(a=a, b=b, rare=rare)),
        rare=rare,
        common=common,
        question=form.question.format(a=said[a], b=said[b]),
    )


def _rare(sort: str, number: int, dice: random.Random) -> str:
    word = f"{''.join(dice.choices(SYLLABLES, k=2))}{number:03}z"
    first, second = (chr(start + number) for start in _HAN_RARE_FROM)
    match sort:
        case "cjk":
            return first + second
        case "mixed":
            return first + word
        case "error":
            return word.capitalize()
        case _:
            return word
