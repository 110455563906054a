"""How a value is read from the words that follow "I live in" or "I prefer": whole, or not at all.

Law: each reader takes the rest of a clause and returns what of it is the value, a piece of what it
was given, or None where it cannot be sure. What points elsewhere ("the second option", "this") is
no value: it would mean nothing to whoever reads it later.
"""

import re
from typing import Final

from recense.core.extraction.rules_names import TECHNOLOGIES, is_named
from recense.core.late_patterns import late_pattern

_WORDS_MAX: Final = 6
_CLAUSE_WORDS_MAX: Final = 40

_ASIDE: Final = (
    r"(?:,? (?:but|because|since|so|which|who|where|though|although|while|whereas|when|whenever"
    r"|as (?:I|we|it|they|you)|and (?:I|I'm|we|it|they|that|this|so|would|will|have|am|is|not|never"
    r"|always)|please|thanks|thank you|too|as well|now|btw|by the way|fyi|these days|nowadays"
    r"|anyway|at the moment|currently|especially|including|particularly|aka)(?!\w)"
    r"| ?[(–—]| - |[;:] | [:;]-?[)D]|, (?:it|they|he|she|we|you)(?!\w)"
)
_APART: Final = late_pattern(rf"(?i){_ASIDE}).*\Z")
"""From where on a clause is about something else than its value."""

_TAIL: Final = late_pattern(rf"(?i){_ASIDE}|, ).*\Z")
"""As `_APART`, of a value in which no comma can stand."""

_EDGE: Final = late_pattern(r"[^\w)+#*%\"'`\]}]+\Z")
_ARTICLE: Final = late_pattern(r"(?i)(?:a|an|the)[ ]")
_MORE: Final = late_pattern(
    r"(?i)(?: (?:so much|a lot|very much|the most|most|best|better|more|the best))+\Z"
)
_COMPARED: Final = late_pattern(
    r"(?i),? (?:(?:more |better |rather )?than|over|instead of|to|versus|vs\.?|any day|wherever"
    r"|whenever|where possible|by default)(?!\w).*\Z"
)
_PREFERRED: Final = late_pattern(
    r"(?i),? (?:(?:more |better |rather )than|over|instead of|versus|vs\.?|any day)(?!\w).*\Z"
)
_AND: Final = re.compile(r", and |, | and | & ")
_LAST: Final = late_pattern(r" (?:and|&) [^,&]+\Z")
_LIST_WORDS_MAX: Final = 20
_ITEM_WORDS_MAX: Final = 4
_NAME_WORDS_MAX: Final = 3
_PLACED: Final = frozenset("on in at behind and".split())
_PLACED_WORDS_MAX: Final = 8
_ADJECTIVES: Final = late_pattern(r", (?:[\w-]+ ){0,2}[\w-]+\W*\Z")
"""After a comma: what may be one thing with what stands before it, as in "red, sweet apples"."""

_PURPOSE: Final = late_pattern(
    r"(?i),? (?:for|as|with|to|in|on|at|from|across|behind|via|everywhere|everyday|every|inside"
    r"|whenever|throughout|under|by default|all over)(?!\w).*\Z"
)
_POINTING: Final = late_pattern(
    r"(?i)\b(?:this|that|these|those|it|them|him|her|he|she|they|you|your|yours|above|below|here"
    r"|there|such|former|latter|option|options|version|approach|idea|suggestion|suggestions|answer"
    r"|way|same|other|others|one|ones|first|second|third|last|next|current|instead|again)\b"
)
_NO_THING: Final = frozenset(
    """the my our his its their how what when where why who whom whose which whether if to not no
    none nothing something anything everything someone anyone everyone nobody both all each every
    another some any more most less being having getting doing making seeing is are was were and or
    but so as at by for from in of on with without about just only very too really quite than then
    neither either myself yourself ourselves also""".split()
)
_NO_PART: Final = frozenset({"and", "or", "is", "are", "it's", "that's"})
_BAD_MARKS: Final = late_pattern(r"[*_<>{}\[\]|\\\"=]")
_CAPITAL: Final = r"[^\W\d_a-z][\w.'&’-]*"
_SMALL: Final = r"(?:of|the|de|la|le|du|di|da|do|del|van|von|der|den|upon|am|an|sur|on|el|al|bin|y)"
_PROPER: Final = rf"{_CAPITAL}(?: (?:{_SMALL} ){{0,2}}{_CAPITAL}){{0,4}}"
_PLACE: Final = late_pattern(rf"(?:the )?({_PROPER}(?:, {_PROPER}){{0,2}})\Z")
_VILLAGE: Final = late_pattern(
    r"(?i)an? ((?:[\w-]+ ){0,2}(?:village|town|city|suburb|farm|hamlet|island) "
    r"(?:near|outside|in|close to|south of|north of|east of|west of|by|off) "
    rf"(?-i:{_PROPER}))\Z"
)
_ORGANISATION: Final = late_pattern(
    rf"(?:the |an? )?({_PROPER}(?: (?:University|Hospital|Bank|GmbH|AS|Inc|&|and) ?\w*)?)\Z"
)
_PERSON: Final = late_pattern(rf"({_CAPITAL}(?: (?:{_SMALL} ){{0,2}}{_CAPITAL}){{0,3}})\Z")
_NO_PERSON: Final = frozenset(
    "not on in the no yes ok never spelled listed missing wrong what to too i".split()
)
_PLACE_TAIL: Final = late_pattern(
    r"(?i)(?:,? (?:with|since|now|near|and|but|because|as|so|where|which|though|right|at|for|when"
    r"|while|most|half|part|these|again|too|currently)(?!\w)|,? (?:a|an|my|our|by the) | ?[(–—]"
    r"| - |[;:]).*\Z"
)
_WORKPLACES: Final = late_pattern(
    r"(?i)(?:an?|the) ((?:[\w-]+ ){0,3}(?:hospital|bank|school|bakery|startup|start-up|university"
    r"|college|library|museum|hotel|restaurant|clinic|agency|law firm|consultancy|pharmacy|shop"
    r"|studio|farm|brewery|laboratory|lab|kindergarten|nonprofit|non-profit|newspaper|publisher|cafe|café)"
    rf"(?: in (?-i:{_PROPER}))?)\Z"
)
_TICKED: Final = late_pattern(r"`([^`]+)`\Z")
_USING: Final = late_pattern(
    r"(?i)(?:using|writing in|writing|coding in|coding with|working in|working with|programming in"
    r"|to use|to write in|to code in|to work in|to work with|to program in)[ ]"
)
_TIMEZONE: Final = late_pattern(
    r"(?:(?:UTC|GMT)(?: ?[+-−] ?\d{1,2}(?::?\d{2})?)?|[A-Z]{1,2}(?:[A-Z])?[SD]?T"
    r"|(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Z][\w/+-]+"
    r"|(?:[A-Z][a-z]+ ){1,4}(?:Time|time))\Z"
)
_PRONOUNS: Final = late_pattern(
    r"(?i)((?:he|she|they|xe|ze|it|him|her|them|his|hers|theirs|any|xem|zir)"
    r"(?:/(?:he|she|they|xe|ze|it|him|her|them|his|hers|theirs|its|any|xem|zir)){1,2}"
    r"|(?:he and him|she and her|they and them))(?: pronouns)?\Z"
)


def trimmed(value: str) -> str:
    """Return a value without white space and punctuation at its end, and without an article."""
    bare = _EDGE.sub("", value.strip()).strip()
    return _ARTICLE.sub("", bare, count=1) if _ARTICLE.match(bare) else bare


def before_aside(rest: str) -> str:
    """Return a clause up to where it is about something else than its value."""
    return _TAIL.sub("", rest)


def place(rest: str) -> str | None:
    """Return the name of a place: words with capitals, and what it lies in after a comma."""
    if found := _VILLAGE.match(trimmed_end(rest.partition(",")[0])):
        return found[1]
    found = _PLACE.match(trimmed_end(_PLACE_TAIL.sub("", rest)))
    if found is None or _POINTING.search(found[1]) or is_named(found[1], TECHNOLOGIES):
        return None
    return found[1]


def organisation(rest: str) -> str | None:
    """Return the name of an employer, or the kind of a place where people work."""
    bare = trimmed_end(_PLACE_TAIL.sub("", rest.partition(",")[0]))
    if found := _WORKPLACES.match(bare):
        return found[1]
    bare = re.sub(r" in [^\W\d_a-z].*\Z", "", bare)
    found = _ORGANISATION.match(bare)
    return found[1] if found and not _POINTING.search(found[1]) else None


def person(rest: str) -> str | None:
    """Return a person's name: one to four words with capitals, nothing else but a new clause."""
    bare = trimmed_end(_PLACE_TAIL.sub("", _TAIL.sub("", rest)))
    found = _PERSON.match(bare)
    if found is None or {*found[1].lower().split()} & _NO_PERSON:
        return None
    return found[1]


def timezone(rest: str) -> str | None:
    """Return the name of a time zone."""
    bare = trimmed(_TAIL.sub("", rest))
    return bare if _TIMEZONE.match(bare) else None


def pronouns(rest: str) -> str | None:
    """Return pronouns as people name them."""
    found = _PRONOUNS.match(trimmed_end(_TAIL.sub("", rest)))
    return found[1] if found else None


def thing(rest: str) -> str | None:
    """Return a few words that name one thing by themselves, or a list of such, whole."""
    if rest.lower().startswith("the "):
        return None
    if (listed := _list(rest)) is not None:
        return listed
    bare = _PREFERRED.sub("", _TAIL.sub("", rest))
    if _ADJECTIVES.match(rest[len(bare) :]):
        return None
    bare = unticked(trimmed(_MORE.sub("", trimmed_end(bare))))
    return bare if _is_thing(bare, _WORDS_MAX) else None


def _list(rest: str) -> str | None:
    """Return a list of things as it stands: parted it could lose what its parts share, as in
    "Thai and Korean food".
    """
    bare = trimmed(_APART.sub("", rest))
    pieces = _AND.split(bare)
    is_list = len(pieces) > 1 and _LAST.search(bare) and len(bare.split()) <= _LIST_WORDS_MAX
    return bare if is_list and all(_is_thing(each, _ITEM_WORDS_MAX) for each in pieces) else None


def _is_thing(words: str, words_max: int) -> bool:
    found = words.lower().split()
    if not 0 < len(found) <= words_max or found[0] in _NO_THING or _NO_PART & {*found}:
        return False
    return not is_doubtful(words)


def named(rest: str, table: frozenset[str]) -> str | None:
    """Return the name of a table that a clause goes on with, before what it is compared with and
    what it is for.
    """
    bare = _TAIL.sub("", rest)
    if found := _USING.match(bare):
        bare = bare[found.end() :]
    for cut in (
        _COMPARED.sub("", bare),
        _PURPOSE.sub("", bare),
        _PURPOSE.sub("", _MORE.sub("", bare)),
    ):
        value = unticked(trimmed(cut))
        if is_named(value, table):
            return value
    return None


def several_named(rest: str, table: frozenset[str]) -> tuple[str, ...]:
    """Return all names of a list, where each is of a table; none where one is not."""
    if one := named(rest, table):
        return (one,)
    found: list[str] = []
    for piece in re.split(r",? and |, | \+ | & ", trimmed_end(_PURPOSE.sub("", rest))):
        value = unticked(trimmed(piece))
        if not is_named(value, table):
            return ()
        found.append(value)
    return tuple(found)


def named_with_place(rest: str, table: frozenset[str]) -> str | None:
    """Return a name of a table with where or how it is: "Kubernetes on bare metal"."""
    bare = trimmed(_TAIL.sub("", rest))
    words = bare.split()
    for size in range(min(len(words), _NAME_WORDS_MAX), 0, -1):
        if is_named(unticked(" ".join(words[:size])), table):
            behind = words[size : size + 1]
            is_whole = not behind or (behind[0] in _PLACED and len(words) <= _PLACED_WORDS_MAX)
            return unticked(bare) if is_whole and not is_doubtful(bare) else None
    return None


def clause(rest: str) -> str | None:
    """Return the rest of a clause as it stands, where nothing in it points elsewhere."""
    bare = trimmed_end(rest.partition("; ")[0])
    if not 1 < len(bare.split()) <= _CLAUSE_WORDS_MAX or is_doubtful(bare):
        return None
    return bare


def is_doubtful(value: str) -> bool:
    """Whether a value points elsewhere, or holds marks that no prose has."""
    return _POINTING.search(value) is not None or _BAD_MARKS.search(value) is not None


def trimmed_end(value: str) -> str:
    """Return a value without white space and punctuation at its end."""
    return _EDGE.sub("", value.strip()).strip()


def unticked(value: str) -> str:
    """Return a value without a pair of backticks around it."""
    found = _TICKED.match(value)
    return found[1] if found else value
