"""Explicit statements in Chinese, simplified and traditional: which sentences are looked at.

Law: as for those in English, a rule looks at the beginning of a clause, and one word of doubt
anywhere in the sentence is enough to say nothing.
"""

from typing import Final

from recense.core.extraction.rules_chinese_forms import CHINESE, EDGE
from recense.core.extraction.rules_statements import NOTE, Stated, phrases, said_by
from recense.core.late_patterns import late_pattern

_TRADITIONAL: Final = (
    "記請們歡愛討厭決聯絡編輯語測試裝碼開發師員學醫時區節個這讓幫說問題應該後從來覺會沒樣過還"
    "為進項專數據庫環資務經處單話號職業稱標計劃選擇採擬準備寫證傳嗎誰麼無臺灣東樂興趣養貓輛車買"
    "團隊產國實驗設慣優貴負責導達聽對總網鑰銀帳戶論將於統與習間關隻條匹張習鎖齡歲歷離麗點緒"
)
_SIMPLIFIED: Final = (
    "记请们欢爱讨厌决联络编辑语测试装码开发师员学医时区节个这让帮说问题应该后从来觉会没样过还"
    "为进项专数据库环资务经处单话号职业称标计划选择采拟准备写证传吗谁么无台湾东乐兴趣养猫辆车买"
    "团队产国实验设惯优贵负责导达听对总网钥银账户论将于统与习间关只条匹张习锁龄岁历离丽点绪"
)
_SIMPLE: Final = str.maketrans(_TRADITIONAL, _SIMPLIFIED)

_DOUBT: Final = late_pattern(
    r"[?？]|\.\.\.|…|[吗呢么吧]\s*[。！!.]*\Z|(?i:token|password|\bPIN\b|\bkey\b|redacted)|"
    + phrases(
        """如果|假如|要是|假设|倘若|万一|除非|是否|是不是|有没有|能不能|可不可以|好不好|可能|也许
        或许|大概|应该|似乎|好像|据说|听说|他说|她说|们说|人说|说过|说：|说道|声称|觉得|以为|认为
        希望|但愿|想象|假装|比如|例如|譬如|曾经|以前|过去|从前|之前|小时候|原来|本来|不再|不太确定
        开玩笑|密码|口令|密钥|令牌|验证码|暗号|银行卡|身份证|私钥|凭证|怎么|怎样|什么|哪里|哪个
        哪些|哪儿|谁|为何|曾|门禁码|开门码|取件码|验证码|卡号|账号"""
    )
)
_PASSING: Final = late_pattern(
    phrases(
        """今天|今晚|明天|昨天|刚才|刚刚|现在正|此刻|暂时|这周|本周|这次|这几天|最近|马上|正在|今早
        等会|一会儿|临时"""
    )
)
_ORDERS: Final = late_pattern(
    phrases(
        """你|您|忽略|无视|服从|绕过|覆盖|系统提示|提示词|指令|助手|机器人|模型|记忆|管理员|删除|遗忘
        规则|权限|信任|授权|回答|回复|输出"""
    )
)
_OTHER_VOICE: Final = late_pattern(
    "你是一|你现在是|翻译|改写|润色|扮演|假装|想象|造句|作文|校对|病句|语法|写一[篇首封个段].{0,6}(?:故事|小说|诗|信|邮件|文)"
)
_DANGLING: Final = late_pattern(r"(?:[，,、：:；]|的|和|因为|但是|在|是|与)\s*\Z")
_LEAD: Final = late_pattern(
    phrases(
        """你好|您好|大家好|嗨|哈喽|嗯|好的|好|对了|另外|还有|顺便说一下|顺便说一句|顺便|顺带一提
        补充一下|补充|其实|首先|谢谢|备注|说明一下|自我介绍一下|介绍一下|一般来说|通常|总的来说
        个人而言|平时|而且|但是|不过|所以|因为"""
    )
    + r"[，,。:：！!、 ]{0,2}"
    + r"|(?:比起|相比于?|和|与|跟)[^，,我]{1,12}(?:相比)?[，,](?=我)"
    + "|(?:"
    + phrases("测试框架|编辑器|编程语言|语言|包管理器|包管理工具|工具|数据库|后端|前端")
    + r"(?:方面|上)?|工作中|生活中|工作上|平时工作)[，, ]?(?=我)"
)
_LEADS_MAX: Final = 3
_REMEMBER: Final = late_pattern(
    "(?:请帮我|请你|请|麻烦|一定要|务必|帮我)?"
    "(?P<asks>记得|别忘了|不要忘记|别忘记|不要忘了)?"
    "(?(asks)|(?:记住|牢记|记下来|记下|记一下))(?:一下|一点|这点|这一点)?[，,：:、 ]{0,2}"
)
_OWN: Final = late_pattern("我(?!想|要|需要|希望|在想)|咱们|本项目|本公司|本人")
_NO_SUBJECT: Final = late_pattern(
    phrases(
        """要|不|别|先|用|帮|在|把|给|以后|今后|每次|每当|这|那|上次|下次|一定|必须|跑|加|写|提交
        更新|检查|运行|保存|关|带|买|打|吃|喝|看|问|去|来|做|发|留|改|删|使用|保持|始终|总是|请|让
        它|他|她|从现在|永远|当|对|为|所有之前|上面|以上|刚|的|到|得|按|叫|回|提醒|交|备份|清理|重启
        安装|拉|推|切|设|调|换|查|确认|避免|遵守|时间|我想|我要"""
    )
)
_VERB: Final = late_pattern(
    ".{1,20}?"
    + phrases(
        """是|在|用|有|只|都|须|不|没有|属于|叫|住|采用|运行|部署|负责|支持|需要|喜欢|禁止|位于|为
        过敏|要|关门|开门|开始|结束|发布|能|会|被|每"""
    )
)
_NOTE_POINTS: Final = range(5, 100)
_ELIDED: Final = r"在.{1,12}(?:工作|上班)|住在|喜欢|不喜欢|讨厌"
_WITHOUT_SUBJECT: Final = late_pattern(_ELIDED)
_NEXT: Final = late_pattern(rf"[，,；;](?:而且|并且|也|还|另外|同时|但是|但|不过)?(?=我|{_ELIDED})")


_TURN: Final = late_pattern(r"[，,；;：:](?:而且|并且|也|还|另外|同时|但是|但|不过|所以)?(?=我)")
_OF_OTHERS: Final = late_pattern("[说讲问道写念喊想他她它叫]|故事|台词|例|标题|短信|留言|歌")
"""In a clause before one: that what follows may be said by somebody else."""


def simplified(text: str) -> str:
    """Return a text with the traditional characters that rules know made simplified ones, each
    where it was.
    """
    return text.translate(_SIMPLE)


def is_other_voice(sentence: str) -> bool:
    """Whether a sentence makes a text of what stands beside it: to translate it, to play it."""
    return _OTHER_VOICE.search(sentence) is not None


def chinese_statements(sentence: str) -> tuple[Stated, ...]:
    """Return what a simplified sentence says explicitly, in order."""
    text = sentence.rstrip(" 。.！!~～")
    if _DOUBT.search(sentence) or _DANGLING.search(text):
        return ()
    for _ in range(_LEADS_MAX):
        found = _LEAD.match(text)
        if found is None:
            break
        text = text[found.end() :]
    if found := _REMEMBER.match(text):
        return _remembered(text[found.end() :], asks=found["asks"] is not None)
    return _typed(_own_part(text))


def _own_part(text: str) -> str:
    """Return a sentence without a first clause that says nothing, where the next has a subject of
    its own; all of it where that clause may be about who says the next, or when it holds.
    """
    turn = _TURN.search(text)
    if turn is None or said_by(CHINESE, text[: turn.start()]):
        return text
    first = text[: turn.start()]
    return text if _OF_OTHERS.search(first) or _PASSING.search(first) else text[turn.end() :]


def _typed(text: str) -> tuple[Stated, ...]:
    """Return what the forms find, clause after clause, up to the first that they do not know."""
    if _PASSING.search(text):
        return ()
    found: list[Stated] = []
    for clause in _NEXT.split(text):
        is_elided = found and _WITHOUT_SUBJECT.match(clause)
        said = said_by(CHINESE, f"我{clause}" if is_elided else clause)
        if not said:
            break
        found.extend(said)
    return tuple(found)


def _remembered(clause: str, *, asks: bool) -> tuple[Stated, ...]:
    """Return what is to be remembered; after words that mostly ask for an act (记得), only what is
    of the writer.
    """
    if _ORDERS.search(clause) or (asks and not _OWN.match(clause)):
        return ()
    if said := _typed(clause):
        return said
    value = clause.strip(EDGE)
    doubtful = (_NO_SUBJECT.match(value), _PASSING.search(value), value.endswith("了"))
    if len(value) not in _NOTE_POINTS or any(doubtful) or not _VERB.match(value):
        return ()
    return (Stated(predicate=NOTE, value=value),)
