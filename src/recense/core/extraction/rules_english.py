"""Explicit statements in English: which sentences are looked at, and what each clause says.

Law: a rule looks at the beginning of a clause and nowhere else, and one word of doubt anywhere in
the sentence (a condition, a report, a wish) is enough to say nothing.
"""

from typing import Final

from recense.core.extraction.rules_english_forms import ENGLISH
from recense.core.extraction.rules_statements import NOTE, Stated, phrases, said_by
from recense.core.extraction.rules_values import trimmed_end
from recense.core.late_patterns import late_pattern

_DOUBT: Final = late_pattern(
    r"(?i)\?|\.\.\.|…|\b"
    + phrases(
        """if|unless|whether|would|could|might|maybe|perhaps|probably|possibly|suppose|supposing
        supposed|imagine|assume|assuming|pretend|pretending|hypothetically|apparently|supposedly
        allegedly|wish|hope|guess|seems?|unsure|says?|said|saying|told|tells|asked|writes|wrote
        claims?|claimed|according|used to|no longer|anymore|any more|formerly|kidding|joking
        sarcasm|for example|for instance|e\\.g|i think|i believe|i feel|not sure|let's say|until
        till|otherwise"""
    )
    + r"\b"
)
_SECRET: Final = late_pattern(
    r"(?i)\b"
    + phrases(
        """passwords?|passwd|passphrases?|passcodes?|tokens?|keys?|pins?|secrets?|credentials?|ssn
        cvv|otp|2fa|redacted|combination|account numbers?|card numbers?
        (?:door|gate|access|entry|alarm|security|lock|safe|unlock|backup|recovery|login) codes?"""
    )
    + r"\b"
)
_PASSING: Final = late_pattern(
    r"(?i)\b"
    + phrases(
        """today|tonight|yesterday|tomorrow|right now|for now|at the moment|for the moment
        temporarily|lately|this week|this morning|this afternoon|this evening|this month|this time
        this sprint|this session|for a few|for a couple|for a while|just now|a minute|a second"""
    )
    + r"\b"
)
_DANGLING: Final = late_pattern(
    r"(?i)(?:[,;:–—-]| "
    + phrases(
        """and|or|but|the|a|an|to|of|in|with|for|because|is|are|that|my|our|than|as|on|at|by|from
        about|so|which|not|very"""
    )
    + r"\.?)\Z"
)
"""How a sentence ends that goes on somewhere else."""

_LEAD: Final = late_pattern(
    "(?i)"
    + phrases(
        """hi|hello|hey|ok|okay|so|well|also|and|but|oh|btw|by the way|fyi|actually|yes|yeah|no
        nope|thanks|thank you|sure|great|right|one more thing|in general|generally|personally
        one more thing for later|for later|for what it's worth|at work|at home|at the office
        (?:in|on|for) (?:our|my) (?:team|projects?|company|codebase|work|free time|spare time)
        for context|reminder|quick note|heads up|p\\.?s\\.?|note|for the record|just so you know
        just to let you know|good to know|about me|as a rule|for reference"""
    )
    + r"(?: (?:there|all|everyone|again))?(?:,|:|!|\.| [-–—])? "
)
_TOPIC: Final = late_pattern(
    r"(?i)(?:for|as for|when it comes to|in terms of) (?!(?:this|that|these|those|now|the)\b)"
    r"[\w' -]{1,30},? (?=(?:I|we|my|our)\b)"
)
_WHEN: Final = late_pattern(
    r"(?i)(?:yesterday|today|this morning|this week|earlier|eventually|finally|in the end"
    r"|last \w+|on \w+day|(?:after|at|in|during|following) [^,;:]{1,40}),? "
    r"(?=(?:we|I|the team|our team)(?:'ve| have| finally| all| both| just){0,3} "
    r"(?:decided|agreed|chose|settled|opted|voted)\b)"
)
"""Before a decision: when it was taken, which makes it no less of one."""

_LEADS_MAX: Final = 3
_ASKED: Final = late_pattern(
    r"(?i)(?:can|could|would|will) you (?:please )?(?=(?:remember|keep in mind|note) that )"
)
_REMEMBER: Final = late_pattern(
    "(?i)(?:please |pls |kindly |always )?"
    + phrases(
        """remember for later|remember this|remember|don't forget|do not forget|never forget
        keep in mind|bear in mind|make a note|make a mental note|take note|note down|memori[sz]e
        note for later|for future reference|note for the future|save to memory|add to memory
        for the future|commit to memory|store in memory"""
    )
    + r"(?P<link>,? that |: ?|, | )"
)
_NOTED: Final = late_pattern(r"(?i)(?:please )?(?:note|be aware|know|take into account) that ")
_OWN: Final = late_pattern(r"(?i)(?:I|I'm|I've|we|we're|we've|my|our)\b")
_OWN_OR_COMMON: Final = late_pattern(
    r"(?i)(?:I|I'm|I've|we|we're|we've|my|our|the|all|every|each|production|staging"
    r"|this (?:project|repo|repository|codebase|team|company|app|service))\b"
)
_NO_SUBJECT: Final = late_pattern(
    "(?i)"
    + phrases(
        """it|it's|this(?! (?:project|repo|repository|codebase|team|company|app|service)\\b)|that
        that's|these|those|they|they're|he|he's|she|she's|you|you're|your|to|not|if|when|there
        there's|here|all (?:of )?(?:the )?(?:previous|prior)|the (?:above|following|user|time|day)
        time|bug|thing|day|conversation|discussion|guy|from now on|always|never|only"""
    )
    + r"\b"
)
_VERB: Final = late_pattern(
    r"(?i)\S+ (?:\S+ ){0,8}?"
    + phrases(
        """is|are|isn't|aren't|has|have|hasn't|haven't|must|needs?|uses?|runs?|lives?|deploys?
        owns?|prefers?|likes?|works?|never|always|only|can|can't|cannot|should|shouldn't|don't
        doesn't|goes|go|takes?|keeps?|starts?|ends?|closes?|opens?|stores?|supports?|requires?
        expects?|belongs?|means|lies?|stands?|stays?|comes?|speaks?|hates?|loves?|will|decided
        wants?|writes?|calls?|ships?|releases?|reviews?|listens?|targets?|hosts?|depends?|sends?
        expires?|contains?|leaves?|handles?|maintains?|drinks?|eats?|meets?|begins?|happens?"""
    )
    + r"\b"
)
_ACTIVE: Final = late_pattern(
    r"(?i)(?:I'm|we're"
    r"|(?:I|we)(?! (?:already |just |once |both )?(?!need|feed|speed|embed)\w+ed\b)) "
)
_ORDERS: Final = late_pattern(
    r"(?i)\b"
    + phrases(
        """you|your|yours|yourself|you're|ignore|obey|disregard|override|bypass|jailbreak|prompts?
        instructions?|assistant|chatbot|the (?:model|ai|memory|bot|agent|user)|memories|reveal
        forget|delete|erase|admin|administrator|root|rules?|previous|prior|policy|policies
        restrictions?|filters?|safety|authori[sz]ed|trusted|approved|permissions?|permitted"""
    )
    + r"\b"
)
"""Words of a clause that wants to steer a model or a memory, rather than tell it something."""

_ADVICE: Final = late_pattern(
    r"(?i)\b(?:answers?|repl(?:y|ies)|responses?|outputs?|important|normal|okay to|ok to|better to"
    r"|best to|never too late|worth it)\b"
)
"""What such a clause is mostly about (a preference of short answers is none), or what consoles."""


_PAST: Final = late_pattern(
    r"(?i)\b"
    + phrases(
        """was|were|had|did|didn't|wasn't|weren't|went|saw|took|got|came|spoke|met|found|lost|ran
        built|sent|left|made|bought|talked|discussed|tried|fixed|changed|broke|failed
        broken|failing|crashed|crashing|down|stuck|wrong|late|busy|tired|sick"""
    )
    + r"\b"
)
_NEXT: Final = late_pattern(
    r"(?:,? and|,? but|;|,) "
    r"(?=(?:I|we)(?:'m|'re|'ve)? \w|(?:my|our) [\w' ]{2,30} (?:is|are|uses)\b)"
)
_TURN: Final = late_pattern(r"(?:,? (?:and|but|so)|;|:) (?=(?:I|we)(?:'m|'re|'ve)? \w)")
_OF_OTHERS: Final = late_pattern(
    r"(?i)\b"
    + phrases(
        """insists?|reads?|goes|announce\\w*|repl\\w+|mention\\w*|thinks?|explain\\w*|adds?|added|shout\\w*
        quot\\w+|story|novel|lines?|example|sentence|phrase|joke|dream|title|text|message|caption
        song|lyrics?|he|she|they|labels?|sign|note|reported|report|complain\\w*|argue\\w*|states?"""
    )
    + r"\b"
)
"""In a clause before one: that what follows may be said by somebody else."""

_NOTE_WORDS: Final = range(3, 41)
_KIND_OF_TEXT: Final = phrases(
    """story|poem|song|essay|letter|email|e-mail|bio|sentences?|text|paragraph|dialogue|scene
    monologue|introduction|cover letter|message|speech|lyrics|post|tweet|statements?"""
)
_OTHER_VOICE: Final = late_pattern(
    r"(?i)\b(?:translat\w+|proofread|paraphrase|rephrase|role-?play|act as|pretend\w*|imagine"
    r"|hypothetical\w*|(?-i:[Yy]ou are (?:an?|the|my|[A-Z]\w+))|you're an?|grammar"
    r"|screenplay|persona|just kidding|not really|(?:write|draft|compose|continue|finish|correct"
    r"|fix|rewrite|edit|check|improve|summari[sz]e|polish) (?:me )?(?:an?|the|this|my|these) "
    rf"(?:[\w-]+ ){{0,2}}{_KIND_OF_TEXT})\b"
)


def is_other_voice(sentence: str) -> bool:
    """Whether a sentence makes a text of what stands beside it: to translate it, to play it."""
    return _OTHER_VOICE.search(sentence) is not None


def english_statements(sentence: str) -> tuple[Stated, ...]:
    """Return what a sentence says explicitly about its writer or the work, in order."""
    text = sentence.rstrip("!")
    if found := _ASKED.match(text):
        text = text[found.end() :].rstrip("?")
    if any(each.search(text) for each in (_DOUBT, _SECRET, _DANGLING)):
        return ()
    text = _without_leads(text)
    if found := _REMEMBER.match(text):
        return _remembered(text[found.end() :], found["link"].strip(" ,"))
    if found := _NOTED.match(text):
        text = text[found.end() :]
    return _typed(_own_part(text))


def _without_leads(text: str) -> str:
    for _ in range(_LEADS_MAX):
        found = _LEAD.match(text) or _TOPIC.match(text) or _WHEN.match(text)
        if found is None:
            break
        text = text[found.end() :]
    return text


def _own_part(text: str) -> str:
    """Return a sentence without a first clause that says nothing, where the next has a subject of
    its own; all of it where that clause may be about who says the next, or when it holds.
    """
    turn = _TURN.search(text)
    if turn is None or said_by(ENGLISH, text[: turn.start()]):
        return text
    first = text[: turn.start()]
    return text if _OF_OTHERS.search(first) or _PASSING.search(first) else text[turn.end() :]


def _typed(text: str) -> tuple[Stated, ...]:
    """Return what the forms find, clause after clause, up to the first that they do not know."""
    if _PASSING.search(text):
        return ()
    found: list[Stated] = []
    for clause in _NEXT.split(text):
        said = said_by(ENGLISH, clause)
        if not said:
            break
        found.extend(said)
    return tuple(found)


def _remembered(clause: str, link: str) -> tuple[Stated, ...]:
    """Return what a person asks to be remembered: by a form, or else as a note of the clause.

    Without "that" the clause has to be a person's own: "remember the tests" asks for an act.
    """
    subject = {"that": None, ":": _OWN_OR_COMMON}.get(link, _OWN)
    if _ORDERS.search(clause) or (subject is not None and not subject.match(clause)):
        return ()
    if said := _typed(clause):
        return said
    is_doubtful = _NO_SUBJECT.match(clause) or any(
        each.search(clause) for each in (_ADVICE, _PAST, _PASSING)
    )
    is_sentence = _VERB.match(clause) or _ACTIVE.match(clause)
    if len(clause.split()) not in _NOTE_WORDS or is_doubtful or not is_sentence:
        return ()
    return (Stated(predicate=NOTE, value=trimmed_end(clause)),)
