"""Every bound of Recense, its unit in its name and its reason beside it.

Law: what leaves out text, messages, sessions or terms is reported, as a gap, as a count in a report
or as an error that names the bound; a bound on what is remembered says here what goes wrong beyond
it.
"""

from typing import Final

# --- what comes in -------------------------------------------------------------------------------

LINE_BYTES_MAX: Final = 16 * 1024 * 1024
"""A longer line of a source file is counted and skipped as bad: the longest real one seen is 1 MB,
the largest image written twice would be 14, and decoding takes up to a dozen times the line in
memory, of which an import may use 300 MB in all."""

RECORD_COMMAS_MAX: Final = 1_000_000
"""A record with more commas is kept as bad: between commas stand values, and each takes up to 90
bytes in memory however short it is written."""

HEAD_BYTES: Final = 64 * 1024
"""How much of a source file an importer sees to recognise its format: the first record of a session
may bring the instructions of its agent."""

CUT_HEAD_BYTES: Final = 512
"""How much of a first record that is longer than HEAD_BYTES is searched for fields of a format: a
record begins with what it is, and long texts come later."""

READ_BYTES: Final = 1024 * 1024
"""How much of a source file is asked for at a time."""

PAGE_RECORDS_MAX: Final = 256
"""Records in one durable commit of archiving or conversion: short enough never to hold the writer
for a second, long enough that the commit itself does not dominate."""

PAGE_BYTES_MAX: Final = 4 * 1024 * 1024
"""Source bytes in one durable commit; one record larger than this makes a page of its own."""

STATE_BYTES_MAX: Final = 64 * 1024
"""State that an importer or the projection may carry from one page to the next: it is written with
every page, so it must stay small beside the page."""

TAIL_BYTES: Final = 64 * 1024
"""How much before the last read offset must still match before a grown file is read on from it."""

CHUNK_BYTES: Final = 65_536
"""A longer archive record is cut into chunks of this many bytes, so that no row is unwieldy."""

BASE64_INLINE_BYTES_MAX: Final = 1024
"""A longer base64 payload moves to the blob store: it is no text and may repeat."""

UNCLAIMED_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes at the head of a file that may wait for the first record that names its session."""

NESTING_MAX: Final = 128
"""Levels of JSON in one record: the deepest real one has 9, and every walk over a record below us
may recurse, which Python allows about a thousand times."""

IDENTIFIER_CODE_POINTS_MAX: Final = 128
"""Code points of an id that a source gives: real ones have 36, and readers remember some of
them. A longer one counts as none: copies of such a record in two sessions count twice, and what
names its session so belongs to that of the record before it."""

FOLDER_CODE_POINTS_MAX: Final = 1024
"""Code points of a session's folder: a longer one would leave a passage no room for its words, and
counts as unknown. Paths of people have a few dozen."""

SIDECHAINS_MAX: Final = 64
"""Sub-agents written between the lines of one file whose root is remembered; few run at a time."""

SIDECHAIN_LINKS_MAX: Final = 1024
"""Records of such sub-agents whose root is remembered, so that a child finds it by its parent."""

DROPPED_AGENTS_MAX: Final = 32
"""Sub-agents of one file that are known to be no work of anybody; a file holds one as a rule."""

SUMMARIES_WAITING_MAX: Final = 16
"""Summaries that wait for the record that shows they belong to this session: most never do."""

LEAVES_REMEMBERED_MAX: Final = 1024
"""Records that a later summary may name as its leaf: real ones came within 300 records."""

TWINS_WAITING_MAX: Final = 64
"""Texts of a Codex session that wait for their second copy: it comes within a few records.
Beyond it the oldest is forgotten, and its second copy becomes a message of its own."""

PROMPTS_ROLLED_BACK_MAX: Final = 256
"""Prompts of a Codex session that a rollback can count back over."""

DECODED_BYTES_MAX: Final = 4 * 1024 * 1024 * 1024
"""What a compressed source file may decode to: a hundred times the largest rollout known to us, and
an end to what a few bytes could be made to stand for."""

# --- what is redacted ----------------------------------------------------------------------------

REDACTION_ROUNDS_MAX: Final = 12
"""Searches of one text after which, its seams still yielding findings, it is hidden whole: real and
generated texts settle in three."""

SENSITIVE_NAME_BYTES_MAX: Final = 96
"""A longer name is no name; it is also what looking to the left of a word may cost."""

QUOTED_SECRET_BYTES_MAX: Final = 65_536
"""How far a closing quote is looked for: longer than any secret that stands on one line."""

KEY_BLOCK_BYTES_MAX: Final = 65_536
"""How far the end of a private key block is looked for: the longest keys have a tenth of it."""

COMMAND_BYTES_MAX: Final = 4_096
"""How much of a command is read for the arguments that hold its secrets."""

JUDGED_WORD_BYTES_MAX: Final = 100
"""A bare word is judged by its first bytes and hidden whole, so that many names before one endless
word stay cheap."""

COMPARED_LITERAL_BYTES_MAX: Final = 512
"""How far back a literal that is compared with a sensitive name may begin."""

ONE_TIME_CODES_MAX: Final = 32
"""Codes that may follow a word for them as a list: recovery codes come by the dozen."""

# --- what is projected ---------------------------------------------------------------------------

MARKS_TOGETHER_MAX: Final = 256
"""Combining marks in a row that folding normalises; real text stacks a handful."""

TOOL_RESULT_BYTES_MAX: Final = 1024 * 1024
"""Visible text of one tool result that is matched and shown; the rest is a gap."""

OPEN_MESSAGES_MAX: Final = 16
"""Replies that may still receive fragments; a provider never interleaves more than a few.
Beyond it the oldest is closed, and a further fragment of it becomes a message of its own."""

PROMPTS_REMEMBERED_MAX: Final = 512
"""Prompts whose parent is remembered to notice a rewind; state is bounded by STATE_BYTES_MAX.
A rewind to before the last so many prompts goes unnoticed: its branch stays and is matched."""

QUEUED_REMEMBERED_MAX: Final = 64
"""Queued prompts that may still turn out to have been typed later. Beyond it the oldest is
forgotten: when it is typed after all, the same words stand there twice."""

# --- what is asked -------------------------------------------------------------------------------

TERMS_MAX: Final = 8
"""Terms in one request: more is a question, not a search."""

TERM_CODE_POINTS_MAX: Final = 500
"""Code points of one term."""

QUESTION_CODE_POINTS_MAX: Final = 2_000
"""Code points of a question."""

QUESTION_TERMS_MAX: Final = 24
"""Terms derived from a question that came without terms."""

RERANKED_HITS_MAX: Final = 200
"""Hits that a question re-ranks: an answer shows 25 at most, and each costs a look at its text."""

RERANK_CODE_POINTS_MAX: Final = 65_536
"""Code points of one message in which the words of a question are counted; a longer one is a log,
and 200 of them whole would take seconds."""

PASSAGES_DEFAULT: Final = 8
"""Passages in an answer where the request names no limit."""

PASSAGES_MAX: Final = 25
"""The largest limit a request may name."""

# --- what goes out -------------------------------------------------------------------------------

NEIGHBOURS_MAX: Final = 4
"""Visible neighbours of an anchor on each side."""

MORE_MESSAGES_MAX: Final = 8
"""Messages that recall_more adds on each side at most."""

ENVELOPE_BYTES_MAX: Final = 96 * 1024
"""Bytes of the JSON of one answer: what an agent can afford to read."""

PASSAGE_BYTES_MAX: Final = 12 * 1024
"""Bytes of the JSON of one passage."""

MESSAGE_BYTES_MAX: Final = 4 * 1024
"""Bytes of the JSON of one message in a passage; a longer one is a window with offset and
length."""

PASSAGE_BYTES_MIN: Final = 1024
"""A passage that would get fewer bytes than this is dropped, and counted, rather than shown."""

EXCERPT_BYTES_MIN: Final = 160
"""A neighbour that would show fewer bytes of its text than this is left out."""

MATERIALS_BYTES_MAX: Final = 8 * 1024
"""Bytes of JSON for the materials of the turns in an answer: metadata must not crowd out words."""

UNREADABLE_SESSIONS_NAMED_MAX: Final = 20
"""Sessions with unreadable events that an answer names one by one; the rest is one sum."""

# --- the store -----------------------------------------------------------------------------------

BUSY_WAIT_MS_MAX: Final = 15_000
"""How long a write waits for another process before it is refused as busy."""

CONFLICTS_MAX: Final = 32
"""Commits of others that may come between reading and writing the same thing, one after the other,
before it is called contended: each of them is progress, of somebody else."""

STORE_KEY_BYTES: Final = 32
"""The secret key of a store: 256 bits, and blake2b takes up to 64 bytes."""

STORE_PAGE_BYTES: Final = 4_096
"""A page of the SQLite file. An identity falls anywhere in its index and costs a page, so that with
8,192 an import of real records wrote a quarter more, for a file 5 % smaller."""

STORE_CACHE_BYTES: Final = 16 * 1024 * 1024
"""Pages that the writing connection keeps: the inner pages of every index of a million messages."""

STORE_LOG_BYTES: Final = 16 * 1024 * 1024
"""Write-ahead log after which its pages move into the file: four large commits share one wait for
the disk."""

STORE_LOG_KEPT_BYTES: Final = 64 * 1024 * 1024
"""What a log that a long reader made grow is cut back to."""

TITLE_CODE_POINTS_MAX: Final = 120
"""Code points of a session's title."""

# --- the command line ----------------------------------------------------------------------------

PROGRESS_SILENT_MS: Final = 1_000
"""What is done within this time shows no progress: a flash of it would only be noise."""

PROGRESS_EVERY_MS: Final = 100
"""The time between two drawings of a progress line: what an eye takes as steady."""

PROGRESS_LINE_EVERY_MS: Final = 5_000
"""The same where a line cannot be drawn over, and each report is a line of its own."""

SESSIONS_LISTED_DEFAULT: Final = 20
"""Sessions in a list where the command names no limit: about a screen."""

TRANSCRIPT_MESSAGES_DEFAULT: Final = 50
"""Messages in a page of a transcript where the command names no count."""
