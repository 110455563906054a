"""The forms of explicit statements in Chinese: how each begins, and what its value is.

Laws: the first form that finds a value decides; what a form cannot read whole it leaves alone. All
words here are in simplified characters: a text is simplified before they see it.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from recense.core.extraction import rules_names as names
from recense.core.extraction.rules_names import is_named
from recense.core.extraction.rules_statements import (
    NOTE,
    Read,
    Rule,
    Stated,
    one,
    phrases,
    rule,
    several,
)
from recense.core.extraction.rules_values import unticked
from recense.core.late_patterns import late_pattern

EDGE: Final = " \t，,。.！!；;、~～:："
"""What no value begins or ends with."""

_POINTING: Final = late_pattern(
    r"[这那它他她你您]|上面|下面|以上|以下|如此|刚|前者|后者|第[一二三四]个|另一|别的|方案|自己|东西|现在|目前|样子|做法|感觉"
)
_NO_VALUE: Final = late_pattern(
    phrases(
        """的|了|一下|就|也|还|把|被|让|给|不|没|到|得|过|是|在|有些|有点|有|去|上了|很|怎|如何|为"""
    )
)
_ACTS: Final = frozenset("吃喝看玩听用写读去做买学")
"""Verbs that lack what they are about."""

_BAD_MARKS: Final = late_pattern(r"[*_<>{}\[\]|\\\"=「」『』“”《》（）()]")
_CUT: Final = late_pattern(
    "[，,；;（(]|" + phrases("但是|但|不过|因为|所以|而且|并且|而不是|而不|胜过|多于|超过")
)
_VALUE_POINTS_MAX: Final = 24
_PLACE_POINTS: Final = range(2, 16)
_CLAUSE_POINTS: Final = range(3, 81)

_OFTEN: Final = (
    phrases(
        """一般|通常|平时|一直|非常|特别|很|最|真的|比较|更加|更|都|主要|现在|也|就|个人|其实|还
        十分|超级|超|经常|总是|本人|目前|已经|已"""
    )
    + "{0,2}"
)
_WE: Final = phrases(
    """我们的项目|我们的团队|我们团队|我们公司|我们项目|我们组|我们|咱们|团队|大家|本项目|我司
    这个项目|项目|我"""
)
_ROLE: Final = late_pattern(
    "(?:一名|一个|一位|个|名|位)?([^，,。的了在不和与]{0,12}"
    + phrases(
        """工程师|程序员|设计师|老师|教师|医生|护士|学生|研究生|博士生|经理|律师|会计|记者|作家
        翻译|教授|研究员|分析师|架构师|开发者|开发|前端|后端|厨师|摄影师|司机|药剂师|牙医|兽医
        顾问|运维|公务员|主管|总监|创始人|科学家|管理员|咖啡师|建筑师|音乐家|画家|程序媛"""
    )
    + r")\Z"
)
_NO_ROLE: Final = late_pattern("新手|不|没|最|很|好|坏|你|这|那|我|唯一|前任|想|当|系统管理")
_ORGANISATION: Final = late_pattern(
    "(?:一家|一所|一个)?([^，,。在的]{1,20}?"
    + phrases(
        """公司|医院|学校|大学|中学|小学|银行|集团|研究所|研究院|学院|事务所|工作室|科技|图书馆
        博物馆|酒店|餐厅|书店|幼儿园|出版社|报社|实验室|工厂|律所|咖啡馆|诊所|局|部|厂|店"""
    )
    + r"|[A-Z][\w&. -]{1,30})\Z"
)
_EMPLOYED: Final = late_pattern(r"(.{2,24}?)(?:工作|上班|任职|教书|就职)(?=\Z|[，,。])")
_PLACE_END: Final = late_pattern(
    r"(?:已经|了|有|快|和|跟|的|很多|好几|[一二三四五六七八九十0-9两]+年).*\Z"
)
_NO_PLACE: Final = late_pattern("一|学校|家|公司|宿舍|酒店|楼")
_PERSON: Final = late_pattern(
    r"(?:[\u4e00-\u9fff·]{2,8}|[A-Z][A-Za-z'-]+(?: [A-Z][A-Za-z'-]+){0,2})\Z"
)
_NO_PERSON: Final = late_pattern("[你他她它了的吗么呢不没是在写错很叫人个]|什么|外卖|车")
_AND: Final = late_pattern("以及|和|与|、|，|,|跟")
_AFTER_NAME: Final = late_pattern(r"(?<=[A-Za-z0-9`+#])\s*[\u4e00-\u9fff].*\Z")
"""What stands after a name in Latin letters: what it is, or what it is for."""

_RESPONSES: Final = late_pattern(
    "(?:简洁|简短|简单|详细|直接|完整|正式|清晰)(?:一点|一些)?的?(?:回答|回复|解释|答案|总结)\\Z"
)
_AT_HAND: Final = late_pattern(
    "代码|函数|测试|修复|重构|bug|文件|先|接下来|实现|功能|提交|问|改|优化"
)
_KIN: Final = phrases(
    """女儿|儿子|老婆|妻子|太太|老公|丈夫|妈妈|爸爸|母亲|父亲|姐姐|妹妹|哥哥|弟弟|女朋友|男朋友
    爷爷|奶奶|猫|狗|上司|老板|经理"""
)
_THINGS_OWNED: Final = phrases("猫|狗|车|钢琴|吉他|房子|公寓|兔子|鹦鹉|相机|船|马|仓鼠|望远镜")


def _cut(rest: str) -> str:
    found = _CUT.search(rest)
    return (rest[: found.start()] if found else rest).strip(EDGE)


def _is_doubtful(value: str) -> bool:
    return _POINTING.search(value) is not None or _BAD_MARKS.search(value) is not None


def _thing(rest: str) -> str | None:
    value = _cut(rest)
    if not 0 < len(value) <= _VALUE_POINTS_MAX or _NO_VALUE.match(value):
        return None
    is_part = value in _ACTS or value.endswith(("时", "时候", "的"))
    return None if is_part or _is_doubtful(value) else value


def _person(rest: str) -> str | None:
    value = _cut(rest)
    return value if _PERSON.match(value) and not _NO_PERSON.search(value) else None


def _place(rest: str) -> str | None:
    value = _PLACE_END.sub("", _cut(rest)).strip(EDGE)
    if len(value) not in _PLACE_POINTS or _is_doubtful(value) or _NO_PLACE.match(value):
        return None
    return value


def _timezone(rest: str) -> str | None:
    return _cut(rest).removesuffix("时区") or None


def _organisation(rest: str) -> str | None:
    found = _ORGANISATION.match(_cut(rest))
    return None if found is None or _POINTING.search(found[1]) else found[1].strip()


def _employer(rest: str) -> str | None:
    found = _EMPLOYED.match(rest.strip(EDGE))
    return _organisation(found[1]) if found else None


def _role(rest: str) -> str | None:
    found = _ROLE.match(_cut(rest))
    return None if found is None or _NO_ROLE.search(found[1]) else found[1].strip()


def _named(rest: str, table: frozenset[str]) -> str | None:
    bare = _cut(rest)
    for each in (bare, _AFTER_NAME.sub("", bare), bare.removesuffix("上")):
        value = unticked(each.strip())
        if is_named(value, table):
            return value
    return None


def _several_named(rest: str, table: frozenset[str]) -> tuple[str, ...]:
    found = [_named(piece, table) for piece in _AND.split(rest.strip(EDGE))]
    kept = tuple(value for value in found if value is not None)
    return kept if len(kept) == len(found) else ()


def _clause(rest: str) -> str | None:
    value = rest.strip(EDGE)
    return None if len(value) not in _CLAUSE_POINTS or _is_doubtful(value) else value


def _style(rest: str) -> str | None:
    value = _cut(rest)
    return value if _RESPONSES.match(value) else None


def _decision(rest: str) -> str | None:
    return _clause(_cut(rest))


def _intent(rest: str) -> str | None:
    """What a person means to do in life, never what is at hand in the code."""
    value = _cut(rest)
    return None if _AT_HAND.search(value) else _clause(value)


def _preference(rest: str, clause: str) -> Iterator[Stated]:
    """A preference of what no table has, as a note of the clause."""
    if _thing(rest) is not None and not _POINTING.search(clause):
        yield Stated(predicate=NOTE, value=clause.strip(EDGE))


def _whole(_rest: str, clause: str) -> Iterator[Stated]:
    if not _is_doubtful(clause):
        yield Stated(predicate=NOTE, value=clause.strip(EDGE))


def _relative(rest: str, clause: str) -> Iterator[Stated]:
    """A note of who is whose, where a name follows."""
    if _person(rest) is not None:
        yield Stated(predicate=NOTE, value=clause.strip(EDGE))


def _of(predicate: str, table: frozenset[str]) -> Read:
    return one(predicate, partial(_named, table=table))


def _each(predicate: str, table: frozenset[str]) -> Read:
    return several(predicate, partial(_several_named, table=table))


def _my(thing: str) -> str:
    """How a sentence about a tool of the writer begins."""
    of_all = phrases("最喜欢|最爱|最常用|常用|首选|默认|主要")
    return rf"我(?:的{of_all}?|{of_all}(?:使用|用)?的){thing}是\s?"


_EDITOR: Final = _of("prefers_editor", names.EDITORS)
_LANGUAGE: Final = _of("prefers_language", names.LANGUAGES)
_TESTS: Final = _of("prefers_test_framework", names.TEST_FRAMEWORKS)
_PACKAGES: Final = _of("prefers_package_manager", names.PACKAGE_MANAGERS)
_STYLE: Final = one("prefers_response_style", _style)
_LIKES: Final = one("likes", _thing)

CHINESE: Final[tuple[Rule, ...]] = (
    rule(
        r"(?:我的(?:名字|全名|姓名|英文名)(?:是|叫)|我(?:的名字)?叫(?:做)?|本人叫)\s?",
        one("name", _person),
    ),
    rule(r"我的时区是\s?|我在\s?(?=UTC|GMT|东八区)", one("timezone", _timezone)),
    rule(rf"我{_OFTEN}(?:居住|定居|住)在\s?|我家在\s?", one("lives_in", _place)),
    rule(
        rf"我{_OFTEN}(?:就职|供职|任职|工作)于\s?|我的(?:公司|单位|雇主|学校)是\s?",
        one("works_at", _organisation),
    ),
    rule(rf"我{_OFTEN}在\s?", one("works_at", _employer)),
    rule(
        r"我(?:的(?:职业|职位|岗位|工作|角色|身份))?(?:是|担任)\s?|我当\s?",
        one("role", _role),
    ),
    rule(_my("(?:代码|文本)?编辑器"), _EDITOR),
    rule(_my("(?:编程)?语言"), _LANGUAGE),
    rule(_my("测试框架"), _TESTS),
    rule(_my("包管理(?:器|工具)"), _PACKAGES),
    rule(
        rf"我们?{_OFTEN}(?:喜欢|偏好|偏爱|习惯|倾向于?)(?:使用|用|写)\s?",
        _EDITOR,
        _TESTS,
        _PACKAGES,
        _LANGUAGE,
    ),
    rule(
        r"我们?(?:个人|平时|一般|通常|还是|其实)?(?:更喜欢|更偏好|偏好|偏爱|更爱|更倾向于?|倾向于?)\s?",
        _EDITOR,
        _TESTS,
        _PACKAGES,
        _LANGUAGE,
        _STYLE,
        _preference,
    ),
    rule(
        rf"{_WE}{_OFTEN}(?:部署|运行|托管)[在到]\s?|(?:我们的)?(?:生产环境|部署目标)(?:运行在|部署在|是|在)\s?",
        _of("deployment_target", names.TARGETS),
    ),
    rule(
        rf"{_WE}{_OFTEN}(?:使用的是|使用|采用|用的是|用)\s?"
        r"|(?:我们项目|我们|咱们|团队|项目)的?(?:数据库|技术栈|后端|前端|框架|缓存|消息队列)(?:用的是|使用|采用|用|是)\s?",
        _each("uses_technology", names.TECHNOLOGIES),
    ),
    rule(
        rf"我们?{_OFTEN}(?:避免使用|避免用|从不使用|从不用|绝不使用|绝不用)\s?",
        _each("avoids", names.TECHNOLOGIES),
        one("avoids", _thing),
    ),
    rule(
        r"(?:我们的?|这个|本)(?:项目|应用|产品)(?:的名字是|的名称是|名称是|叫做|叫|名为)\s?",
        one("project_name", _thing),
    ),
    rule(
        r"(?:我们团队|我们组|我们|咱们|团队|大家|我)(?:已经|最终|最后|都|一致|刚刚|经过讨论){0,2}"
        r"(?:决定|商定|约定|同意|选定|敲定)(?:了|好了|要)?[，,：: ]{0,2}",
        one("decided", _decision),
    ),
    rule(
        rf"我{_OFTEN}(?:不喜欢|讨厌|不爱|厌恶|受不了|反感|痛恨)(?!过)",
        one("dislikes", _thing),
    ),
    rule(rf"我{_OFTEN}(?:喜欢|喜爱|热爱|爱)(?!过|你|上)", _STYLE, _LIKES),
    rule(r"我最(?:喜欢|爱)的[^，,。是]{1,8}是|我的(?:兴趣爱好|爱好|兴趣)是", _LIKES),
    rule(
        rf"我{_OFTEN}(?:养了|有|买了|拥有)[一两二三][只条辆台匹架把套个](?=.{{0,6}}{_THINGS_OWNED}\Z)",
        one("owns", _thing),
    ),
    rule(r"我(?:今年|长期|最大)?的(?:长期|人生|年度|最大)?目标是", one("goal", _intent)),
    rule(rf"我{_OFTEN}(?:打算|计划|准备)要?", one("plans", _intent)),
    rule(r"我(?=对[^，,。]{1,10}过敏\Z|不吃[^，,。]{1,8}\Z|吃素\Z|是素食者\Z|是左撇子\Z)", _whole),
    rule(rf"我的?{_KIN}(?:的名字)?(?:叫|是)(?=[\u4e00-\u9fff·A-Za-z]{{2,8}}\Z)", _relative),
    rule(r"我的生日是", _whole),
)
"""In the order in which they are asked."""
