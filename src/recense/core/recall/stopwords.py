"""Words that say nothing about what a question is after, in English and in Chinese.

Law: a shipped table, never the corpus, decides which words of a question are searched; a lost index
can then not change an answer. Words are given folded.
"""

from typing import Final

ENGLISH: Final = frozenset(
    """
    a about above after again against ago all also am an and any anybody anyone anything are as
    ask asked at away back be became because become been before being below between both but by
    came can cannot could did do does doing done down during each either else ever every
    everyone everything exactly few find for found from further gave get gets getting give given
    go goes going gone got had happen happened happens has have having he hello help her here
    hers herself hey hi him himself his how however i if in instead into is it its itself just
    kind know knew last lately let like long look looked looking made make makes many may maybe
    me mean meant mention mentioned might mine more most much must my myself need needed neither
    never no nor not nothing now of off often ok okay on once one only or other others our ours
    ourselves out over own part perhaps please put quite rather really recall recently regarding
    remember said same saw say says see seem seemed seen shall she should show since so some
    somebody someone something sometimes somewhere soon still such sure take taken tell than
    thank thanks that the their theirs them themselves then there these they thing things think
    this those though thought through to together told too took toward try tried under until up
    upon us use used uses using usually very want wanted wants was way we well went were what
    whatever when where whether which while who whoever whole whom whose why will with within
    without would yes yet you your yours yourself yourselves aren't can't couldn't didn't
    doesn't don't hadn't hasn't haven't he'd he'll he's i'd i'll i'm i've isn't it'd it'll it's
    let's mustn't she'd she'll she's shouldn't that's there's they'd they'll they're they've
    wasn't we'd we'll we're we've weren't what's when's where's who's why's won't wouldn't you'd
    you'll you're you've e.g i.e etc
    """.split()
)
"""Function words, and what questions to a memory are made of (remember, mentioned, told)."""

CHINESE: Final = """
    为什么 怎么样 什么时候 什么样 能不能 可不可以 是不是 有没有 要不要 会不会 告诉我 记不记得
    还记得 记得 我们 你们 他们 她们 它们 咱们 大家 自己 别人 什么 怎么 怎样 如何 为何 哪个 哪里
    哪些 哪儿 哪位 哪种 谁的 多少 几个 这个 那个 这些 那些 这里 那里 这样 那样 这么 那么 这种
    那种 这次 那次 上次 之前 以前 以后 之后 后来 现在 当时 刚才 已经 曾经 正在 一直 总是 还是
    或者 以及 并且 而且 但是 不过 因为 所以 如果 虽然 然后 于是 因此 关于 对于 根据 按照 通过
    除了 可以 可能 能够 应该 需要 必须 想要 希望 觉得 认为 知道 没有 不是 不能 不要 不会 一下
    一个 一些 一样 一起 有些 有点 非常 比较 特别 请问 请你 麻烦 谢谢 你好 帮我 给我 提到 说过
    讲过 谈到 聊过 问过 做过 用过 去过 起来 出来 的话 的时候 时候 东西 事情 其中 其他 其它 哪一
    是否 到底 来着 干啥
    """.split()
"""Function words of two characters and more; longer ones come before those they contain."""

CHINESE_PARTICLES: Final = frozenset(
    "的了吗呢吧啊嘛呀么啥我你您他她它们这那哪谁是就也都和与或及在把被给让"
)
"""Characters that make a bigram say nothing."""
