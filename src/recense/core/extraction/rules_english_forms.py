"""The forms of explicit statements in English: how each begins, and what its value is.

Law: the first form that finds a value decides. What a form cannot read whole it leaves alone.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from recense.core.extraction import rules_names as names
from recense.core.extraction import rules_values as values
from recense.core.extraction.rules_statements import (
    NOTE,
    Read,
    Rule,
    Stated,
    one,
    phrases,
    rule,
    several,
    whole_clause,
)
from recense.core.late_patterns import late_pattern

_ADVERB: Final = phrases(
    """really|generally|usually|always|strongly|personally|definitely|absolutely|much|mostly|still
    currently|now|both|also|just|typically|normally|actually|mainly|simply|truly|do|very much|have
    only|greatly"""
)
_OFTEN: Final = rf"(?:{_ADVERB} ){{0,2}}"
_I: Final = rf"I {_OFTEN}"
_AM: Final = rf"(?:I'm|I am) {_OFTEN}"
_I_OR_WE: Final = rf"(?:I|we) {_OFTEN}"
_TEAM: Final = "(?:we|the team|our team)(?:'ve| have| finally| all| both| just){0,3}"
_WORK: Final = phrases(
    """team|project|company|app|service|backend|frontend|repo|codebase|stack|api|server|site
    website"""
)
_WE: Final = rf"(?:we|I|(?:our|my|the|this) {_WORK}) {_OFTEN}"
_IS: Final = r"(?: is called| is| will be|'s| are) (?:still |now |always |currently )?"
_FAVOURITE: Final = phrases(
    """favou?rite|preferred|default|main|primary|usual|go-to|daily|all-time favou?rite"""
)
_PART: Final = phrases(
    """database|stack|tech stack|backend|frontend|framework|web framework|message broker
    message queue|cache|ci|primary database|main database|project's database|ci system"""
)
_MADE: Final = phrases(
    "written in|built with|built on top of|built on|based on|implemented in|coded in"
)
_ROLE_NOUN: Final = phrases(
    """engineer|developer|programmer|designer|manager|teacher|nurse|doctor|physician|student
    scientist|researcher|analyst|architect|administrator|sysadmin|consultant|lawyer|accountant
    journalist|writer|editor|translator|professor|lecturer|librarian|electrician|carpenter|plumber
    chef|cook|baker|farmer|musician|photographer|pilot|dentist|veterinarian|vet|pharmacist
    physiotherapist|therapist|psychologist|biologist|chemist|physicist|mathematician|statistician
    economist|freelancer|contractor|founder|co-founder|CTO|CEO|CFO|COO|director|tech lead|team lead
    lead|SRE|DBA|tester|advocate|maintainer|intern|apprentice|mechanic|technician|firefighter
    paramedic|surgeon|midwife|social worker|barista|bartender|gardener|tailor|painter|illustrator
    animator|composer|historian|geologist|astronomer|product owner|scrum master|postdoc
    entrepreneur|recruiter"""
)
_ROLE: Final = late_pattern(
    rf"(?i)(?:an? |the |our )?((?:[\w+#/&-]+ ){{0,4}}{_ROLE_NOUN})(?=\Z|[.,!;]"
    r"| (?:at|for|in|by|on|who|from|with|based|working|speciali[sz]ing)\b)"
)
_NO_ROLE: Final = late_pattern(
    r"(?i)\b"
    + phrases(
        """bad|terrible|good|great|better|best|worst|huge|big|total|only|not|no|never|very|lousy
        awful|lazy|tired|new|happy|sure|looking|trying|talking|hiring|going|fan|kind|sort|like
        seeing|becoming|a|an|the|to|my|your|with|and|or|of
        former|ex|retired|future|aspiring|confused|angry|same|frustrated"""
    )
    + r"\b"
)
_DOING: Final = late_pattern(r"(?!(?:marketing|testing|training|building|visiting)\b)\w+ing\b")
_EMPLOYED: Final = late_pattern(r",? (?:at|for|with) ")
_RESPONSES: Final = late_pattern(
    r"(?i)((?:very |really )?"
    + phrases(
        """short|shorter|concise|brief|terse|detailed|long|longer|verbose|plain|direct|blunt|simple
        formal|informal|bulleted|bullet-point|step-by-step|straightforward|thorough|succinct
        compact|friendly"""
    )
    + r"(?:,? (?:and |but )?(?:short|concise|brief|detailed|plain|direct|simple|to-the-point))?"
    r" (?:answers|replies|responses|explanations|summaries))(?=\Z|[.,!;]| )"
)
_POSSESSION: Final = late_pattern(
    r"(?i)((?:[\w-]+ ){0,3}"
    + phrases(
        """dogs?|cats?|car|bike|bicycle|motorcycle|motorbike|boat|sailboat|house|cabin|piano|guitar
        violin|parrot|horse|rabbit|hamster|greenhouse|telescope|camera|van|scooter|kayak|canoe
        drone|3D printer|beehive|bookshop|bakery"""
    )
    + r")(?=\Z|[.,!;]| (?:named|called|with|at|in|and)\b)"
)
_KIN: Final = phrases(
    """wife|husband|partner|girlfriend|boyfriend|fiancée?|spouse|mother|father|mom|mum|dad|sister
    brother|son|daughter|grandmother|grandfather|aunt|uncle|cousin|boss|manager|dog|cat|niece
    nephew|best friend|roommate|flatmate|mentor"""
)
_TRAIT: Final = phrases(
    "vegan|vegetarian|pescatarian|left-handed|colou?r-?blind|dyslexic|lactose intolerant"
)
_URL: Final = late_pattern(r"(?:https?://|git@)[^\s<>\"']{3,200}(?<![.,;!)])")
_PROJECT_NAME: Final = late_pattern(r"([^\W_][\w.-]{1,40}(?: [^\W\d_a-z][\w.-]*){0,3})\Z")
_NO_NAME: Final = late_pattern(
    r"(?:wrong|twice|once|by|too|missing|from|not|unclear|ugly|long|short|when|in|at|on|done|dead"
    r"|late|fine|good|bad|[a-z]+ly|[a-z]+ed)\b"
)
_PREFERENCE_WORDS_MAX: Final = 14
_INTENT_WORDS_MAX: Final = 16
_NO_PREFERENCE: Final = late_pattern(
    "(?i)"
    + phrases(
        """to|that|if|when|it|this|these|those|the|you|your|not|how|what|where|my|our|being|having
        for|one|him|her|them|no|we|he|she|they|option|version"""
    )
    + r"\b"
)
_AT_HAND: Final = late_pattern(
    r"(?i)\b"
    + phrases(
        """the|code|functions?|bugs?|errors?|tests?|refactor|fix|debug|files?|build|script
        implement|compile|pr|commit|merge|branch|ask|see|understand|make sure|get|have|add|use"""
    )
    + r"\b"
)
"""What people plan with an assistant in the next minutes, not in life."""

_DECIDED: Final = late_pattern(r"(?i)(?:that|to|on|upon) |(?=not to )")


def _role(rest: str) -> str | None:
    found = _ROLE.match(rest)
    if found is None or _NO_ROLE.search(found[1]) or _DOING.match(found[1]):
        return None
    return found[1]


def _employed(rest: str, _clause: str) -> Iterator[Stated]:
    """A role, and the employer where one is named after it."""
    role = _role(rest)
    if role is None:
        return
    yield Stated(predicate="role", value=role)
    behind = rest.partition(role)[2]
    at = _EMPLOYED.match(behind)
    if at is not None and not role.endswith("student"):
        employer = values.organisation(behind[at.end() :])
        if employer is not None:
            yield Stated(predicate="works_at", value=employer)


def _works_at(rest: str, _clause: str) -> Iterator[Stated]:
    """An employer, and the role where one is named after it."""
    employer = values.organisation(rest)
    if employer is None:
        return
    yield Stated(predicate="works_at", value=employer)
    role = _role(rest.partition(" as ")[2])
    if role is not None:
        yield Stated(predicate="role", value=role)


def _style(rest: str) -> str | None:
    found = _RESPONSES.match(rest)
    return found[1] if found else None


def _possession(rest: str) -> str | None:
    found = _POSSESSION.match(rest)
    return None if found is None or values.is_doubtful(found[1]) else found[1]


def _owned(rest: str) -> str | None:
    found = values.thing(rest)
    return None if found is None or _AT_HAND.search(found) else found


def _url(rest: str) -> str | None:
    found = _URL.match(rest)
    return found[0] if found else None


def _project_name(rest: str) -> str | None:
    found = _PROJECT_NAME.match(values.unticked(values.trimmed_end(values.before_aside(rest))))
    if found is None or values.is_doubtful(found[1]) or _NO_NAME.match(found[1]):
        return None
    return found[1]


def _preference(rest: str, clause: str) -> Iterator[Stated]:
    """A preference of what no table has, as a note of the clause."""
    is_short = len(clause.split()) <= _PREFERENCE_WORDS_MAX
    if is_short and not _NO_PREFERENCE.match(rest) and not values.is_doubtful(clause):
        yield Stated(predicate=NOTE, value=values.trimmed_end(clause))


def _intent(rest: str) -> str | None:
    """What a person means to do in life, never what is at hand in the code."""
    found = values.clause(rest)
    if found is None or len(found.split()) > _INTENT_WORDS_MAX or _AT_HAND.search(found):
        return None
    return found


def _decision(rest: str) -> str | None:
    found = _DECIDED.match(rest)
    return values.clause(rest[found.end() :]) if found else None


def _choice(rest: str) -> str | None:
    bare = values.trimmed_end(rest)
    return None if values.is_doubtful(bare) or len(bare.split()) > _INTENT_WORDS_MAX else bare


def _of(predicate: str, table: frozenset[str]) -> Read:
    return one(predicate, partial(values.named, table=table))


def _each(predicate: str, table: frozenset[str]) -> Read:
    return several(predicate, partial(values.several_named, table=table))


_EDITOR: Final = _of("prefers_editor", names.EDITORS)
_LANGUAGE: Final = _of("prefers_language", names.LANGUAGES)
_TESTS: Final = _of("prefers_test_framework", names.TEST_FRAMEWORKS)
_PACKAGES: Final = _of("prefers_package_manager", names.PACKAGE_MANAGERS)
_STYLE: Final = one("prefers_response_style", _style)
_USES: Final = _each("uses_technology", names.TECHNOLOGIES)
_TARGET: Final = one("deployment_target", partial(values.named_with_place, table=names.TARGETS))
_NAME: Final = one("name", values.person)
_LIKES: Final = one("likes", values.thing)
_ROLES: Final = one("role", _role)

ENGLISH: Final[tuple[Rule, ...]] = (
    rule(r"my (?:full |first |given )?name(?: is|'s) ", _NAME),
    rule(r"(?:I'm|I am) called |I go by |(?:please |you can )?call me ", _NAME),
    rule(
        r"my (?:preferred )?pronouns are |I use |I go by |I'm |I am ",
        one("pronouns", values.pronouns),
    ),
    rule(
        r"my (?:local )?time ?zone is |(?:I'm|I am) (?:in|on) (?:the )?",
        one("timezone", values.timezone),
    ),
    rule(
        rf"{_I}(?:live|reside) in |{_AM}(?:based|living) in |I've (?:just |recently )?moved to ",
        one("lives_in", values.place),
    ),
    rule(rf"{_I}work as |{_AM}(?:working as |employed as )?", _employed),
    rule(
        r"my (?:current )?(?:role|job title|title|position|profession|occupation|job) is "
        r"(?:that of )?",
        _employed,
    ),
    rule(rf"{_I}(?:work|teach) (?:at|for) |{_AM}(?:working|employed) (?:at|for|by) ", _works_at),
    rule(r"my (?:current )?employer is ", one("works_at", values.organisation)),
    rule(rf"my (?:{_FAVOURITE} )?(?:code |text )?(?:editor|IDE)(?: of choice)?{_IS}", _EDITOR),
    rule(rf"my {_FAVOURITE} (?:programming )?language{_IS}", _LANGUAGE),
    rule(
        rf"my (?:{_FAVOURITE} )?(?:unit )?test(?:ing)? (?:framework|runner|library)"
        rf"(?: of choice)?{_IS}",
        _TESTS,
    ),
    rule(rf"my (?:{_FAVOURITE} )?package manager(?: of choice)?{_IS}", _PACKAGES),
    rule(
        rf"{_I_OR_WE}(?:prefer|favou?r) ",
        _EDITOR,
        _TESTS,
        _PACKAGES,
        _LANGUAGE,
        _STYLE,
        _preference,
    ),
    rule(
        rf"{_WE}(?:deploys?|ships?|hosts?) (?:(?:everything|it|all services|our \w+|the \w+) )?"
        r"(?:to|on) ",
        _TARGET,
    ),
    rule(
        rf"{_WE}runs? (?:in production )?on |(?:our |the )?production runs on "
        r"|(?:our|the) (?:production )?deploy(?:ment)? (?:target|platform) is ",
        _TARGET,
    ),
    rule(rf"{_WE}(?:uses?|runs? on|rely on|relies on) ", _USES),
    rule(
        rf"(?:our|my|the) {_PART} (?:runs on|uses|consists of|is (?:{_MADE} )?)"
        rf"|(?:our|the|this|my) {_WORK} is {_MADE} ",
        _USES,
    ),
    rule(
        rf"{_I_OR_WE}(?:avoid|never use|stay away from|steer clear of) ",
        _each("avoids", names.TECHNOLOGIES),
        one("avoids", values.thing),
    ),
    rule(
        r"(?:(?:our|my|this|the) (?:new )?project|(?:our|my) (?:new )?(?:app|product|service))"
        r"(?: is called|'s name is| is named| name is) ",
        one("project_name", _project_name),
    ),
    rule(
        r"(?:our|my|this project's|the project's|the) (?:git )?repo(?:sitory)?(?: url)? "
        r"(?:lives at|is located at|is hosted at|is at|is) ",
        one("repository_url", _url),
    ),
    rule(rf"(?:I|{_TEAM}) decided |{_TEAM} (?:agreed|chosen?|chose) ", one("decided", _decision)),
    rule(
        rf"{_TEAM} (?:settled on|opted for|voted for) "
        r"|(?:our|the team's) (?:final )?decision (?:is|was) (?:to|that) "
        r"|it (?:was|has been|is) decided (?:that|to) ",
        one("decided", _choice),
    ),
    rule(
        rf"{_I}(?:like|love|enjoy|adore) |{_AM}(?:a (?:big |huge )?fan of|fond of|into) "
        r"|my hobby is ",
        _STYLE,
        _LIKES,
    ),
    rule(
        r"my (?:all-time )?favou?rite [\w-]+(?: [\w-]+)? (?:is|are) (?!\w+ed\W*\Z)",
        _LIKES,
    ),
    rule(
        r"my preferred [\w-]+(?: [\w-]+)? (?:is|are) (?!\w+ed\W*\Z)",
        whole_clause(values.thing),
    ),
    rule(
        rf"{_I}(?:dislike|hate|detest|loathe|despise|can't stand|cannot stand|don't like"
        rf"|do not like|can't bear) |{_AM}(?:not a (?:big |huge )?fan of|not fond of) ",
        one("dislikes", values.thing),
    ),
    rule(rf"{_I}(?:own|have) (?:an? |two |three )", one("owns", _possession)),
    rule(rf"{_I}own an? ", one("owns", _owned)),
    rule(
        r"my (?:main |long-term |personal |biggest )?goal"
        r"(?: this year| for this year| for the year| in life)? is (?:to )?",
        one("goal", _intent),
    ),
    rule(rf"{_I}(?:plan|intend) (?:to|on) |{_AM}planning (?:to|on) ", one("plans", _intent)),
    rule(rf"{_AM}allergic to ", whole_clause(values.thing)),
    rule(rf"{_AM}(?=(?:a )?{_TRAIT}\W*\Z)", whole_clause(values.thing)),
    rule(
        rf"my {_KIN}(?:'s name)?(?: is(?: called| named)?|'s called) ", whole_clause(values.person)
    ),
    rule(r"my birthday is (?:on )?(?=\D{0,12}\d)", whole_clause(values.thing)),
)
"""In the order in which they are asked."""
