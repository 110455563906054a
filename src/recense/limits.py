"""Every bound of Recense, its unit in its name and its reason beside it.

Law: what leaves out text, messages, sessions or terms is reported, as a gap, as a count in a report
or as an error that names the bound; a bound on what is remembered says here what goes wrong beyond
it.
"""

from typing import Final

# --- what comes in -------------------------------------------------------------------------------

LINE_BYTES_MAX: Final = 16 * 1024 * 1024
"""A line of a source file of which more remains, its long payloads lifted out, is counted and
skipped as bad: the longest real one seen is 1 MB, and decoding takes up to a dozen times the line
in memory, of which an import may use 300 MB in all."""

LIFTED_PAYLOAD_BYTES_MIN: Final = 256 * 1024
"""A longer base64 payload is lifted out of its line while this is read; the gate does the same for
shorter ones, where it costs no memory to speak of."""

LIFTED_LINE_BYTES_MAX: Final = 32 * 1024 * 1024
"""Decoded payloads of one line that are held: the largest document that a model takes. Up to four
lines are in memory at a time. Of what is beyond it length and digest are kept."""

RECORD_COMMAS_MAX: Final = 1_000_000
"""A record with more commas is kept as bad: between commas stand values, and each takes up to 90
bytes in memory however short it is written."""

HEAD_BYTES: Final = 64 * 1024
"""How much of a source file an importer sees to recognise its format: the first record of a session
may bring the instructions of its agent."""

CUT_HEAD_BYTES: Final = 512
"""How much of a first record that is longer than HEAD_BYTES is searched for fields of a format: a
record begins with what it is, and long texts come later."""

OBJECT_BYTES_MAX: Final = 32 * 1024 * 1024
"""A longer object of a document (a conversation of an export) is counted and skipped as bad: it is
held whole while its records are cut out of it. A thousand long messages have a quarter of it."""

OBJECT_PARTS_MAX: Final = 200_000
"""An object with more parts (nodes of a tree, messages) is kept as bad: each takes up to 700 bytes
in memory, however short it is written, before the first of them can be told."""

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

SHORT_BASE64_BYTES_MIN: Final = 12
"""Base64 that stays in its record is looked into from so many bytes on: no name and secret take
fewer than nine."""

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

SPILLED_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes of outputs beside a session's file that come with one of its records: half of what a line
may have, since escapes can double them. What is beyond is counted in the text, and a gap."""

SPILLED_CALLS_MAX: Final = 64
"""Calls whose whole output was read beside the file, and is known when its preview comes: that is
the next record. Of one record no more results than these are looked at."""

FILES_NAMED_MAX: Final = 32
"""Calls that read an image or a document whose name is remembered for their result: it comes soon.
Beyond it a material has no name."""

FILE_NAME_CODE_POINTS_MAX: Final = 255
"""Code points of a file's name that is remembered so: what file systems allow."""

QUEUED_KEYS_MAX: Final = 16
"""Queued prompts that may still be delivered with images. Beyond it these open a message."""

TWINS_WAITING_MAX: Final = 64
"""Texts of a Codex session that wait for their second copy: it comes within a few records.
Beyond it the oldest is forgotten, and its second copy becomes a message of its own."""

PROMPTS_ROLLED_BACK_MAX: Final = 256
"""Prompts of a Codex session that a rollback can count back over."""

PATH_BYTES_REMEMBERED_MAX: Final = 48 * 1024
"""Ids of the chosen path of a tree that its state keeps, some 1,300 messages. Beyond it a message
that only an older export has, imported after a newer one, is matched though off the path."""

TOOL_NODES_REMEMBERED_MAX: Final = 32
"""Tool messages of a tree whose call is remembered, for results that follow each other. Beyond it a
result names the message before it as its call."""

ARCHIVE_DIRECTORY_BYTES_MAX: Final = 8 * 1024 * 1024
"""The directory of a zipped export: it is read whole, and an export of fifty thousand files has
less."""

RECORD_TYPES_MAX: Final = 256
"""Types of records whose kept form is remembered while a file is read; real files have thirty."""

DECODED_BYTES_MAX: Final = 4 * 1024 * 1024 * 1024
"""What a compressed source file may decode to: a hundred times the largest rollout known to us, and
an end to what a few bytes could be made to stand for."""

# --- what is redacted ----------------------------------------------------------------------------

SPELLED_LEVELS_MAX: Final = 3
"""How often escapes that spell escapes are read (`&amp;quot;`): a text is hardly ever written into
more than two others by different means, and backslashes of any depth are one level."""

REDACTED_TEXT_KEPT_CODE_POINTS_MAX: Final = 128
REDACTED_TEXTS_KEPT_MAX: Final = 4_096
"""Short texts of which it is remembered what redaction finds in them: a name is asked about in
every answer about it."""

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

KNOWN_SECRET_CHARACTERS_MIN: Final = 6
"""A shorter value of a `.env` file is not looked for: it occurs in text by chance."""

KNOWN_SECRET_BYTES_MAX: Final = 65_536
"""A longer value of a `.env` file is not looked for: no secret is, and it would fill the
automaton."""

KNOWN_SECRETS_MEMORY_BYTES_MAX: Final = 256 * 1024 * 1024
"""What the automaton of known secrets may grow to: some ten thousand values of usual length."""

STREAM_HELD_CODE_POINTS_MAX: Final = 65_536
"""What a stream may hold back because a secret may be arriving; beyond it the open span is hidden
whole: no secret is longer, but for key blocks a tenth of it."""

STREAMS_ARRIVING_MAX: Final = 1_024
"""Streams that one process holds back text of; an agent writes one at a time. Those that hold
nothing are forgotten first, and go on from what is stored; beyond it another is refused."""

STREAM_CONTEXT_CODE_POINTS: Final = 768
"""What of an endless line is looked at again before what is held: detectors look back 512 bytes,
and further only from what is open."""

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

PAIRED_HITS_MAX: Final = 200
"""Hits in which two or more terms are looked at for standing together: as many as a question
re-ranks, and for the same reason."""

PAIRED_PLACES_MAX: Final = 500
"""Places of one term in one message that are looked at for the others: a letter stands ten thousand
times in a long log, and 200 such would take a minute."""

RERANK_CODE_POINTS_MAX: Final = 65_536
"""Code points of one message in which the words of a question are counted, and terms looked at
together; a longer one is a log, and 200 of them whole would take seconds."""

SKETCHED_CODE_POINTS_MAX: Final = 8_192
"""Code points of one message by which it is known to say nearly the same as another, beside its
length: a few thousand words tell logs apart, and all of 200 long ones would take a second."""

PASSAGES_DEFAULT: Final = 8
"""Passages in an answer where the request names no limit."""

PASSAGES_MAX: Final = 25
"""The largest limit a request may name."""

PATTERN_MEMORY_BYTES_MAX: Final = 8 * 1024 * 1024
"""Memory for one regular expression and what it remembers while it matches: one that needs more to
compile is refused; one that needs more to run runs slower, and no less exactly."""

MATCHES_DEFAULT: Final = 100
"""Matches that grep shows where the request names no limit: a few screens. All are counted."""

MATCHES_MAX: Final = 1_000
"""The largest number of matches that a request of grep may name: with their context, what a person
or a script takes at once, and 30 MB at most."""

CONTEXT_LINES_DEFAULT: Final = 1
"""Lines that grep shows before and after a match where the request names no number."""

CONTEXT_LINES_MAX: Final = 10
"""The largest number of lines around a match that a request may name; more is read in the session
itself."""

MATCH_LINE_BYTES_MAX: Final = 1024
"""Bytes of the JSON of one line that grep shows; of a longer one a window, with its offset."""

MATCH_COLUMNS_MAX: Final = 64
"""Places in one line that are marked as matching; a line that has more is marked enough."""

COPIES_REMEMBERED_MAX: Final = 262_144
"""Messages whose copies in other sessions grep knows again. Beyond it the oldest is forgotten, and
a copy of it counts twice."""

INPUT_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of a file or a pipe that a person hands to a command as its words: a text that is kept has
32 KiB, and no registry of a person a hundredth of this. More is refused, and nothing is kept."""

PIECES_BETWEEN_CHECKS: Final = 64
"""Sessions that a source is asked about, or messages of the index, between two looks at whether the
answer is waited for: a look costs a tenth of a microsecond, and 64 pieces take milliseconds."""

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

IMAGE_BYTES_MAX: Final = 5 * 1024 * 1024
"""Bytes of an image that leaves as it is: what models take. A larger one is scaled first."""

IMAGE_SIDE_PIXELS_MAX: Final = 2_000
"""Pixels of the longer side of a scaled image: beyond it models scale down themselves."""

IMAGE_PIXELS_MAX: Final = 64_000_000
"""Pixels of an image that is opened to be scaled: more than the largest screens and most cameras
have, 256 MB in memory, and an end to what a few bytes could be made to stand for."""

MATERIAL_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of a material that is no image: what a program takes from a pipe without a thought."""

UNREADABLE_SESSIONS_NAMED_MAX: Final = 20
"""Sessions with unreadable events that an answer names one by one; the rest is one sum."""

# --- the store -----------------------------------------------------------------------------------

BUSY_WAIT_MS_MAX: Final = 15_000
"""How long a write waits for another process before it is refused as busy."""

LOG_WAIT_MS_MAX: Final = 1_000
"""How long forgetting waits for readers of an earlier moment, who still need the log. Beyond it the
forgotten bytes stay in the log until it is emptied, and the answer says so."""

PEEK_WAIT_MS_MAX: Final = 50
"""How long a look at a file's bookkeeping waits for another process: beyond it nothing is known,
and the file is read as if it had changed."""

CONFLICTS_MAX: Final = 1_000
"""Commits of others that may come between reading and writing the same thing, one after the other,
before it is called contended: each of them is progress, of somebody else. Of eight processes that
always write the same thing one loses 32 times in a row now and then, and 1,000 times never."""

STORE_KEY_BYTES: Final = 32
"""The secret key of a store: 256 bits, and blake2b takes up to 64 bytes."""

STORE_PAGE_BYTES: Final = 4_096
"""A page of the SQLite file. An identity falls anywhere in its index and costs a page, so that with
8,192 an import of real records wrote a quarter more, for a file 5 % smaller."""

STORE_CACHE_BYTES: Final = 16 * 1024 * 1024
"""Pages that the writing connection keeps: the inner pages of every index of a million messages.
With four times as many, statements are loaded a twentieth faster, and sessions converted a fifth
slower."""

STORE_LOG_BYTES: Final = 64 * 1024 * 1024
"""Write-ahead log after which its pages move into the file: of a page that many commits changed the
last state alone, and they share one wait for the disk."""

STORE_LOG_KEPT_BYTES: Final = 64 * 1024 * 1024
"""What a log that a long reader made grow is cut back to."""

RECORDS_WAITING_MAX: Final = 32
"""Records that wait to be indexed together, and are looked at one by one until then: half a
millisecond for who reads, against a dozen pages of the file that each would change by itself."""

TITLE_CODE_POINTS_MAX: Final = 120
"""Code points of a session's title."""

# --- the agent hook and watching ------------------------------------------------------------------

HOOK_INPUT_BYTES_MAX: Final = 4 * 1024 * 1024
"""What an agent may tell the hook: paths and ids, and with some events its last message."""

HOOK_INPUT_WAIT_SECONDS_MAX: Final = 5
"""How long the hook waits for more of it: an agent that says nothing must not be held up."""

QUOTED_CODE_POINTS_MAX: Final = 120
"""Of what a caller gave, in the message of an error: the id of any session is shown whole."""

HOOK_MESSAGE_CODE_POINTS_MAX: Final = 1_000
"""The one line that a hook which failed writes on stderr."""

WATCH_SECONDS_DEFAULT: Final = 2
"""Seconds between two looks at the files that are followed: a turn of an agent takes longer."""

WATCH_SECONDS_MAX: Final = 86_400
"""A day: who looks less often than that wants a timetable, not a process that waits."""

SECRETS_FILE_BYTES_MAX: Final = 1024 * 1024
"""A file that secrets are read from: real ones have a few kilobytes."""

SESSIONS_WITH_SECRETS_SHOWN_MAX: Final = 5
"""Sessions that the doctor names to a person for the secrets found in them; a script gets all."""

AGENT_SETTINGS_BYTES_MAX: Final = 1024 * 1024
"""Settings of an agent that are read for how long it keeps its sessions: real ones have a few
kilobytes, and longer ones say nothing."""

RETENTION_WARNING_DAYS: Final = 7
"""A file that its agent will delete within this many days is called at risk: a week's holiday."""

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

# --- the index -----------------------------------------------------------------------------------

WINDOW_BYTES: Final = 4 * 1024
"""Folded text that is indexed, and looked into, as one piece; a longer text is several. The larger,
the more is looked into in vain for a term of common letters, at 10 KiB twice as long on 178 MB of
made sessions; the smaller, the more room grams take: a quarter more than at 10 KiB."""

WINDOW_OVERLAP_BYTES: Final = 256
"""How much neighbouring windows share: more than nearly every term has; a longer one is asked for
by its beginning."""

GRAMS_ASKED_MAX: Final = 3
"""Grams of a term that the index is asked for. On 178 MB of made words of common letters the three
rarest name a seventh more texts than all do, in a fifth of the time."""

TEXTS_COUNTED_MAX: Final = 4_096
"""Texts in which grams are counted, to know the rare ones."""

TEXT_BYTES_COUNTED_MAX: Final = 512 * 1024
"""How much text that is at most: a tenth of a second of work."""

GRAMS_COUNTED_AT_GROWTH: Final = 2
"""By what factor an index grows until grams are counted again."""

INDEX_PAGE_BYTES_MAX: Final = 4 * 1024 * 1024
"""Folded text in one durable commit of indexing: half a second of work for the engine."""

INDEX_PAGE_SESSIONS_MAX: Final = 512
"""Sessions in one durable commit of indexing, however short they are."""

READERS_KEPT_MAX: Final = 8
"""Connections for snapshots that wait to be used again: what they have read stays in memory."""

READER_CACHE_BYTES: Final = 16 * 1024 * 1024
"""What a connection for snapshots keeps of the file in memory."""

INDEX_WORDS_REMEMBERED_MAX: Final = 32_768
"""Words whose forms are remembered: what people and programs commonly write, in some megabytes.
Another one is worked out again."""

SUMS_KEPT_MAX: Final = 16
"""Sums of sessions, by what a question asked for, that such a connection remembers while nobody
writes to the store."""

IMAGES_CHECKED_MAX: Final = 2_000
"""Texts that the doctor looks for by their own grams: an index that lost one in a thousand is
found out with a chance of seven in eight."""

GRAMS_CHECKED_MAX: Final = 32
"""Grams of one window by which the doctor looks for it."""

# --- facts ---------------------------------------------------------------------------------------

SUBJECT_CODE_POINTS_MAX: Final = 256
"""A subject is a name and no text."""

PREDICATE_BYTES_MAX: Final = 64
"""A predicate is a name that people type."""

FACT_TEXT_BYTES_MAX: Final = 32 * 1024
"""A longer value is a document: `remember` keeps it as an episode."""

EVIDENCE_MAX: Final = 20
"""Pieces of evidence that a belief shows, the newest; all that was written stays in its history."""

CONTESTED_MICROSECONDS: Final = 1_000_000
"""Two writers who contradict each other within a second did not know of each other."""

FACTS_LISTED_DEFAULT: Final = 100
"""Beliefs of one page, unless more are asked for."""

FACTS_LISTED_MAX: Final = 10_000
"""Beliefs of one page at most: each may be some hundred bytes of an answer."""

FACTS_FOUND_DEFAULT: Final = 10
"""Beliefs that a search gives, unless more are asked for."""

FACTS_FOUND_MAX: Final = 100
"""Beliefs that a search gives at most."""

PAIR_EVENTS_MAX: Final = 10_000
"""Own events of a pair that was ever single-valued: such a pair is read whole for every answer. A
further assertion is refused with advice, a retraction is not."""

RESTATED_MAX: Final = 20
"""Events in which a value that is held is stated again with something new about it: beyond, the
fact is known well enough."""

EXCERPT_BYTES_MAX: Final = 2 * 1024
"""Words that a statement was read in; a longer passage is an episode."""

EVIDENCE_GIVEN_MAX: Final = 8
"""Pieces of evidence of one statement."""

REPLACES_MAX: Final = 32
"""Beliefs that one statement withdraws."""

AHEAD_MICROSECONDS_MAX: Final = 60_000_000
"""How far ahead of the clock a statement may be observed: clocks differ, and nobody observes the
future."""

RELATED_MAX: Final = 3
"""Beliefs shown beside one that was remembered."""

ELSEWHERE_MAX: Final = 5
"""Other predicates under which a value is shown to be held."""

FOLDED_PAIRS_KEPT_MAX: Final = 1_024
"""Folded pairs that are kept between reads."""

FOLDED_PAIR_KEPT_MS_MAX: Final = 30_000
"""How long a folded pair is kept: a watermark that a backend forgets to move does no harm for
longer."""

FACT_CANDIDATES_MIN: Final = 20
"""Events that a search reads at least: of some, what they said holds no longer."""

MOVING_WATERMARK_RETRIES_MAX: Final = 3
"""How often a pair is read again while others write, before its answer is given without being
kept."""

WORDS_KEPT_MAX: Final = 8_192
"""Words whose index words are kept: more than people use in a day."""

FORMS_KEPT_CODE_POINTS_MAX: Final = 40
"""A longer word is no word that comes again."""

NEW_OBJECTS_MAX: Final = 50_000
"""Objects that the program makes, less those that are gone, until it looks for those that keep each
other: more of them hold memory (some 10 MB), fewer make it look while a long answer is made."""

SECONDS_KEPT_MAX: Final = 256
"""Seconds whose wire form is kept: instants of one answer lie close together."""

PAIR_KEYS_KEPT_MAX: Final = 4_096
"""Pairs whose keys are kept: the events of a history are all of a few."""

INDEXED_TEXT_KEPT_CODE_POINTS_MAX: Final = 1_024
INDEXED_TEXTS_KEPT_MAX: Final = 4_096
"""Texts whose index words are kept: from their writing until they are indexed, and between two
searches. A sentence each, seldom excerpts."""

RECORD_TERMS_ASKED_MAX: Final = 8_192
"""Values of the conditions of one listing that an index is asked for; a condition that would be
more of them is compared record by record. The engine takes 32,766, and a list is filled up to a
power of two."""

RECORD_TERMS_COMPARED_MAX: Final = 1_024
"""The same of a text search, where each record that has a word is asked for each value."""

STATEMENTS_AT_ONCE_MAX: Final = 2_000
"""Statements that are kept in one commit where many are written: each falls on some six pages of
the file, and of 2,000 many fall on the same. Others wait a tenth of a second to write, and two
where the log moves into the file."""

STATEMENTS_READ_AHEAD_MAX: Final = 500
"""Statements whose histories are read together: enough that a reading costs each of them little;
what was found out about their texts is still remembered when they are answered."""

FACT_PAGE_EVENTS: Final = 256
"""Events that are read at a time when beliefs are listed."""

LOOKED_THROUGH_EVENTS_MAX: Final = 4_096
"""Events that are looked through for one page of beliefs; one that finds fewer than it may hold
says where to go on."""

FOLLOWED_SUBJECTS_MAX: Final = 32
"""Subjects to which the references of one answer are followed."""

DEFINITIONS_LOADED_MAX: Final = 500
"""Definitions of one load: a registry that people can know has a tenth of it."""

ALLOWED_VALUES_MAX: Final = 200
"""Values of an enum."""

EXCLUDES_MAX: Final = 50
"""Predicates that one excludes: each is read for every write under it."""

DEFINITION_TEXT_CODE_POINTS_MAX: Final = 500
"""A description, a template or a value of an enum: a definition is one event, whose value has
FACT_TEXT_BYTES_MAX bytes."""

PAIRS_EXPLAINED_MAX: Final = 200
"""Predicates about one subject that are explained, or put on one timeline, at once."""

STATEMENTS_MAX: Final = 32
"""Statements that are filed from one text."""

PROFILE_FACTS_MAX: Final = 50
"""Facts of a profile, before its bytes are counted."""

RECALLED_FACTS_MAX: Final = 10
"""Facts in an answer of recall."""

RECALLED_FACTS_BYTES_MAX: Final = 8 * 1024
"""Bytes of JSON that facts take of an answer of recall."""

UNREADABLE_EVENTS_NAMED_MAX: Final = 20
"""Unreadable events that the doctor names; it counts all of them."""

# --- agents --------------------------------------------------------------------------------------

AGENT_ID_CODE_POINTS_MAX: Final = 128
"""Code points of an agent's id and of a pointer's name: a UUID with a few words fits."""

AGENT_STATE_BYTES_MAX: Final = 64 * 1024
"""Bytes of the JSON of a working state: a briefing shows it whole, and 16,000 tokens are more than
anybody reads again."""

TURN_TOKENS_MAX: Final = 2_000
"""Tokens of a turn, or of an action's arguments or result, that stay where they are; more becomes
an output, to be read in pieces."""

TURN_EXCERPT_CODE_POINTS: Final = 400
"""Code points of what became an output that stay in its place."""

TURN_BRIEF_BYTES_MAX: Final = 4 * 1024
"""Bytes of what a turn comes to in few words."""

AGENT_OUTPUT_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes of an output: the longest log that a tool hands over at once; its first MiB is matched."""

OUTPUT_SUMMARY_CODE_POINTS: Final = 200
"""Code points of an output that are its summary where the caller gives none."""

OUTPUT_SUMMARY_BYTES_MAX: Final = 4 * 1024
"""Bytes of the summary of an output."""

OUTPUT_READ_CODE_POINTS_DEFAULT: Final = 8_000
"""Code points of an output that are read where the caller names no length: 2,000 tokens."""

OUTPUT_READ_CODE_POINTS_MAX: Final = 1024 * 1024
"""Code points of an output that are read at once."""

POINTERS_MAX: Final = 1_000
"""Pointers of one agent: a briefing shows all of them."""

POINTER_BYTES_MAX: Final = 4 * 1024
"""Bytes of the JSON of a pointer's fields and note."""

DECISION_NOTE_BYTES_MAX: Final = 4 * 1024
"""Bytes of why somebody decided upon an action."""

UNSETTLED_ACTIONS_MAX: Final = 1_000
"""Actions of one agent that are open or of unknown outcome; a further one is not begun. A briefing
shows all of them, and who has so many has not reconciled."""

ACTION_JSON_BYTES_MAX: Final = AGENT_OUTPUT_BYTES_MAX
"""Bytes of the canonical JSON of an action's arguments, or of its result."""

AGENT_RECORDS_AT_ONCE: Final = 1_000
"""Turns and outputs of an agent that are looked through at once when a session is forgotten."""

LEASE_TTL_MS: Final = 60_000
"""How long an agent stays taken when its process was killed, and how long a process may stall."""

LEASE_TTL_MS_MIN: Final = 100
"""A shorter lease is over before a slow disk has written it."""

LEASE_TTL_MS_MAX: Final = 3_600_000
"""An hour: whoever waits longer for a dead holder asks a person."""

LEASE_RENEWED_AT: Final = 1 / 3
"""Part of a lease's time after which it is renewed: two more attempts fit before it is given up."""

LEASE_TOLERATED_TO: Final = 2 / 3
"""Part of a lease's time for which renewals may fail; then the holder gives up, a third before
another may begin."""

LEASE_LOOKS: Final = 6
"""How often in the time of a lease its holder looks whether it is to be renewed: twice before it is
due, and then with every look while renewals fail."""

TURNS_INDEXED_TOGETHER: Final = 64
"""Turns of an agent after which its session is indexed along, at a tenth of a millisecond each: who
resumes it has 6 ms of them to index at most."""

BRIEFING_TOKENS_DEFAULT: Final = 8_000
"""Tokens of a briefing where the caller names no budget."""

BRIEFING_TOKENS_MAX: Final = 200_000
"""The largest budget of a briefing: what models take at once."""

BRIEFING_PAGE_TURNS: Final = 64
"""Turns that are read at once for a briefing, until they are more than its budget holds."""

BRIEFING_OUTPUTS_MAX: Final = 200
"""Outputs that a briefing chooses from: a fifth of most budgets holds a dozen. All are counted."""

BRIEFING_PASSAGES_MAX: Final = 25
"""Passages that a briefing chooses from at most: what one answer of recall holds."""

BRIEFING_HITS_PER_PASSAGE: Final = 10
"""Hits that a briefing re-ranks for each passage that it chooses from: each costs a look at its
text, and these looks were most of a resume. With ten passages of a hundred, and not of 200, the
right session is among them for 96.2 and not 96.7 % of the questions of LoCoMo's dev half."""

BRIEFING_RERANKED_HITS_MIN: Final = 60
"""Hits that a briefing re-ranks at least: the one passage of a small budget should be the best."""

TOKENS_PER_PASSAGE: Final = 800
"""Tokens of a budget for each passage that a briefing chooses from: two fifths of them are for
memories, so that there are about as many passages as have room."""

AGENTS_LISTED_DEFAULT: Final = 50
"""Agents in a list where the caller names no limit."""

AGENTS_LISTED_MAX: Final = 1_000
"""Agents in one list, each with its goal: more is read page by page."""

ACTIONS_LISTED_DEFAULT: Final = 50
"""Actions of an agent in a list where the caller names no limit."""

ACTIONS_LISTED_MAX: Final = 1_000
"""Actions in one list: all that may be unsettled, with 16 KB at most of what each says."""

TURNS_LISTED_DEFAULT: Final = 50
"""Turns of one page where the caller names no limit."""

TURNS_LISTED_MAX: Final = 1_000
"""The largest page of turns."""

# --- extraction ----------------------------------------------------------------------------------

EXTRACTION_CHUNK_TOKENS_DEFAULT: Final = 4_000
"""Tokens of a session that are read at once: what models still read with care."""

EXTRACTION_CHUNK_TOKENS_MIN: Final = 100
"""Fewer would show hardly a message, and pay the instructions for each."""

EXTRACTION_CHUNK_TOKENS_MAX: Final = 100_000
"""More than models read with care, whatever they take."""

EXTRACTION_DAILY_TOKENS_DEFAULT: Final = 1_000_000
"""Tokens that models may take in a day where nobody set another bound: a few coins, and some two
hundred batches."""

EXTRACTION_DAILY_TOKENS_MAX: Final = 1_000_000_000
"""The largest bound: whoever wants more wants none."""

EXTRACTION_MICROS_MAX: Final = 1_000_000_000_000
"""The largest price and bound of money, in millionths of a currency's unit: a million units."""

EXTRACTION_CEILING_TOKENS: Final = 64_000
"""Tokens of one message that are read, in windows; of a longer log the rest says the same again."""

EXTRACTION_LEASE_TTL_MS: Final = 15_000
"""How long a session stays taken when the process that read it was killed."""

EXTRACTION_IDLE_SECONDS: Final = 6 * 3_600
"""After how long without a word a session is read to its end, however little is left of it."""

EXTRACTION_ATTEMPTS_MAX: Final = 3
"""How often a message that fails is read before only a person who names its session has it tried
again: a fault that passes is over by the third run, and one that stays would be paid at each."""

EXTRACTION_SESSIONS_AT_ONCE: Final = 4
"""Sessions that are read at the same time: what an endpoint gives one client without refusing."""

STRIP_PARTS_MAX: Final = 40
"""Parts of the strip that shows how far a session is read: it fits beside its figures."""

# --- reading sessions for facts by rules ---------------------------------------------------------

RULE_PROSE_CODE_POINTS_MAX: Final = 3_000
"""A message whose prose is longer is taken for a document, and the rules for explicit statements
find nothing in it: what a person says of themselves stands in short messages, and what is pasted
is mostly somebody else's."""

RULE_PROSE_LINES_MAX: Final = 16
"""A message of more lines of prose is taken for a document, likewise."""

RULE_SENTENCE_CODE_POINTS_MAX: Final = 400
"""In a longer sentence the rules find nothing: explicit statements are short, and every pattern
looks at no more than this."""

# --- models --------------------------------------------------------------------------------------

PROPOSALS_MAX: Final = 32
"""Proposals of one answer: what a model may say of one reading. More are dropped, each with its
reason."""

DROPPED_REASONS_MAX: Final = 32
"""Reasons why parts of an answer were dropped that are told; of more their number is."""

LOOSE_JSON_DEPTH_MAX: Final = 16
"""How deep JSON of a model goes: an answer goes four levels deep, and some wrap it twice."""

LOOSE_JSON_LOOKS_MAX: Final = 3
"""Tokens that are looked at for each character of an answer: what is broken is read again from each
bracket in it, and most tokens are longer. The most tangled megabyte takes five seconds."""

MODEL_REPLY_BYTES_MAX: Final = 1024 * 1024
"""Bytes of a reply of a model; of more nothing is read, and the answer cannot be used. The longest
answer that is asked for takes 200 KB, every character written as an escape."""

MODEL_ERROR_BYTES_MAX: Final = 16 * 1024
"""Bytes that are read of a refusal: what it says in a sentence stands before."""

MODEL_CONNECT_SECONDS: Final = 10.0
"""How long an endpoint may take to accept a connection: one that is there takes a second."""

MODEL_RETRY_AFTER_SECONDS_MAX: Final = 86_400.0
"""The longest that an endpoint is left alone because it asks: a day, after which budgets are new; a
date far away is some clock's fault."""

OLLAMA_BYTES_PER_TOKEN: Final = 2
"""The fewest bytes that a token is taken for where room for a request is asked for: what most
models make of a rare script. A text of more tokens is refused by Ollama, not shortened."""

OLLAMA_CONTEXT_STEP_TOKENS: Final = 8_192
"""The contexts that Ollama is asked for are multiples of this, so that most requests of a session
find the model loaded as they need it."""

MODEL_CALL_SECONDS: Final = 120.0
"""How long one call of a model may take: at twenty tokens a second, as on a laptop, an answer of a
dozen proposals takes half of it, and the reading before it the rest."""

MODEL_ANSWER_TOKENS_MAX: Final = 8_192
"""Tokens that an answer may have: PROPOSALS_MAX proposals take half of them, and a model that
thinks before it answers counts its thoughts."""

VOCABULARY_BYTES_MAX: Final = 8_000
"""Bytes of the vocabulary that a model is shown: two hundred predicates. What is left out is
counted; facts are then filed under names of the model's own."""

VOCABULARY_LINE_CODE_POINTS_MAX: Final = 300
"""Code points of one predicate in it: a sentence of description and a list of values."""

REVIEW_BELIEFS_MAX: Final = 50
"""Beliefs about one subject that a reviewer is shown, most recently stated first: beyond these a
duplicate is told by filing alone."""

REVIEW_SUBJECTS_MAX: Final = 100
"""Subjects that a reviewer is shown: of one that was not spoken of for long a proposal may make a
second, under another name."""

REVIEW_EVENTS_MAX: Final = 1_000
"""Events in which these subjects are looked for, newest first: the same work in any store."""

SELECTION_ANSWER_TOKENS_MAX: Final = 1_024
"""Tokens of an answer that names numbers of a list: many times what they take, for models that
think before they speak."""

VIEW_PARTS_MAX: Final = 128
"""Parts of a view: the headings and fences of more short ones cost more than they say."""

VIEW_PART_OVERHEAD_TOKENS: Final = 16
"""Tokens of a part's heading and fences: number, instant, author, and six backticks."""

# --- the HTTP server ------------------------------------------------------------------------------

SERVER_PORT_DEFAULT: Final = 7373
"""Where the server listens when nobody says: a port that nothing known uses."""

HTTP_THREADS: Final = 4
"""Calls that are worked on at a time, all but one of them for longer than CALL_ALONE_SECONDS."""

CALL_ALONE_SECONDS: Final = 0.02
"""How long a call is worked on before another is begun beside it: most calls are done by then, and
nobody waits much longer for one that is not."""

SERVER_SLOW_THREADS: Final = 2
"""Long calls (imports, upkeep) that are worked on at a time: apart from the others, so that these
never wait for them; two imports take turns at the store's one writer."""

SERVER_WAITING_MAX: Final = 512
"""Calls that wait for a thread; a further one is told to come again. Of calls that take 20 ms these
are a second's wait, after which a caller has given up."""

SERVER_SLOW_WAITING_MAX: Final = 16
"""Long calls that wait for a thread."""

SERVER_CONNECTIONS_MAX: Final = 700
"""Connections at a time, a descriptor each: a process may have 1,024, and open stores need some."""

SERVER_BACKLOG: Final = 512
"""Connections that the system holds until they are taken."""

REQUEST_HEAD_BYTES_MAX: Final = 32 * 1024
"""Bytes of a request's line and headers: ours have one."""

REQUEST_HEAD_SECONDS_MAX: Final = 10.0
"""How long the line and headers of a request may take to arrive, from the first byte on or from
when the connection was made: a caller sends them at once."""

REQUEST_BODY_SECONDS_MAX: Final = 30.0
"""How long the body of a call may take to arrive: the largest at 2 Mbit/s."""

UPLOAD_PAUSE_SECONDS_MAX: Final = 30.0
"""How long an upload may pause: a network that is changed takes less."""

UPLOAD_SECONDS_MAX: Final = 3_600.0
"""How long an upload may take in all: the largest at 5 Mbit/s."""

RESPONSE_PAUSE_SECONDS_MAX: Final = 30.0
"""How long a caller may take no byte of an answer before the connection is ended."""

KEEP_ALIVE_SECONDS: Final = 75
"""How long a connection without a request stays open: longer than the minute after which the load
balancers of the field close theirs, so that it is never ours that closes under a request."""

REQUEST_BYTES_MAX: Final = 10 * 1024 * 1024
"""Bytes of the body of a call: the largest output of a tool, and what JSON adds to it."""

REQUEST_NESTING_MAX: Final = 64
"""Levels of JSON in a call: the deepest of ours has six, and arguments of tools have been seen with
twenty; what reads it stops at about a thousand."""

QUERY_FIELDS_MAX: Final = 32
"""Fields of the query of an address: ours have six."""

UPLOAD_BYTES_MAX: Final = 2 * 1024 * 1024 * 1024
"""Bytes of an upload of sessions, on disk while it is read: the largest file of one session that
was seen has half a gigabyte."""

UPLOAD_WRITE_BYTES: Final = 256 * 1024
"""How much of an upload is written to disk at a time."""

UPLOADS_AT_ONCE_MAX: Final = 4
"""Uploads at a time, each of up to UPLOAD_BYTES_MAX on disk."""

KEY_CALLS_AT_ONCE_MAX: Final = 256
"""Calls of one key at a time: so that one caller cannot take all that may wait."""

KEY_CALLS_PER_SECOND_MAX: Final = 2_000
"""Calls of one key a second, on average: more than one process answers of the quickest."""

KEY_CALLS_BURST_MAX: Final = 4_000
"""Calls of one key that may come at once after a pause."""

KEYS_METERED_MAX: Final = 4_096
"""Keys whose calls are counted at a time; those that rest longest are forgotten first, which at
worst lets one begin a new burst."""

IDEMPOTENCY_KEPT_SECONDS: Final = 86_400
"""How long the answer to a write with an idempotency key is kept: a caller that tries again does so
within minutes, and one that was switched off over night the next day."""

IDEMPOTENCY_KEY_CODE_POINTS_MAX: Final = 255
"""Code points of an idempotency key: what the field's services take."""

IDEMPOTENCY_ANSWER_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of an answer that is kept for repetitions; of a longer one it is kept that the write was
done, and a repetition is told so."""

IDEMPOTENCY_SWEPT_AT_ONCE: Final = 500
"""Outcomes that are looked at in one step of removing those that are kept no longer."""

CHANGES_LOOK_SECONDS: Final = 0.5
"""How long a change that another process made may go unnoticed by who follows changes; those of
this one are noticed at once."""

CHANGES_PAGE: Final = 200
"""Facts that are read at a time for who follows changes."""

CHANGES_KEPT_MAX: Final = 4_096
"""Changes of sessions that are remembered, so that who was away a while misses none."""

CHANGES_FOLLOWERS_MAX: Final = 128
"""Connections that follow changes at a time."""

CHANGES_HEARTBEAT_SECONDS: Final = 15.0
"""How long a stream of changes is silent at most: the field's proxies end one after 30 seconds."""

READINESS_SECONDS: Final = 1.0
"""How long it holds that the store can be asked, or cannot: probes come every few seconds, and
anybody may ask without a key, as often as he likes."""

STREAM_KEY_SECONDS_MAX: Final = 5.0
"""How long a stream goes on once its key holds no more: no longer than a call would be answered."""

STREAM_PROOF_SECONDS: Final = 2.0
"""How often the key of a stream is looked up in the store: often enough that one look may be late,
and all the streams of a server ask the store a hundred times a second at most."""

SHUTDOWN_SECONDS_MAX: Final = 20.0
"""How long a server that is stopping waits for calls in flight: less than the 30 seconds after
which Kubernetes kills it."""

BACKGROUND_PAUSE_SECONDS: Final = 2.0
"""How long what came in waits to be indexed in the background: writes come in bursts, and until
then recall reads them in full."""

DRAWN_BYTES: Final = 4096
"""Bytes of chance that are drawn at a time: asking the system takes longer than using them."""

LOG_LINES_WAITING_MAX: Final = 10_000
"""Lines of the log that wait to be written: where nobody reads it, further ones are counted and not
written, and no call waits."""

LOG_LAST_WORDS_SECONDS_MAX: Final = 0.2
"""How long a process that was told twice to end waits for what it says last to be written: where
somebody reads it this takes a millisecond, and nobody notices longer."""

LOG_PAUSE_SECONDS: Final = 0.05
"""How long lines of the log wait for others: nobody who reads along notices, and a server that
answers hundreds of calls a second writes twenty times."""

LOG_END_SECONDS_MAX: Final = 2.0
"""How long the end of a server waits for its last lines to be written: nobody may be reading."""

LOG_FRAMES_MAX: Final = 40
"""Lines of code that a line of the log names of a bug, those nearest to it: so that it stays short
where functions call themselves."""

RESPONSE_PIECE_BYTES: Final = 64 * 1024
"""How much of a long answer is given to the connection at a time."""

CHANGES_SLOW_SECONDS_MAX: Final = 10.0
"""How long one piece of a stream of changes may take to be taken; a slower reader is told so and
ended, and comes back to where it was."""

CHANGES_HUBS_MAX: Final = 64
"""Namespaces of which is remembered how their sessions stood, for who comes back: two megabytes for
ten thousand sessions."""

CHANGES_LOOK_SHARE: Final = 1 / 20
"""How much of a processor may go into looking whether another process changed something."""

CHANGES_NUDGED_SHARE: Final = 1 / 4
"""How much of a processor may go into looking what this process changed, while it writes."""

BACKGROUND_STOP_SECONDS_MAX: Final = 5.0
"""How long a server that stops waits for its work in the background: that heeds a stop between two
steps, each of which takes less."""

BACKGROUND_RETRY_SECONDS: Final = 30.0
"""How long work in the background that went wrong waits before it is tried again."""

BACKGROUND_UPKEEP_SECONDS: Final = 600.0
"""How often, while nothing comes in, what is kept no longer is removed and what is idle closed."""

# --- namespaces and keys --------------------------------------------------------------------------

NAMESPACE_CODE_POINTS_MAX: Final = 128
"""Code points of a namespace: a tenant and a pod of Kubernetes, whose names have 63 each."""

NAMESPACE_BASE_CODE_POINTS_MAX: Final = 48
"""How much of a namespace stands in the name of its file, for people to know it by: with the digest
that tells it from others, a suffix and a long folder it stays below the 143 bytes that an encrypted
file system takes and the 260 characters of a path on Windows."""

NAMESPACES_OPEN_MAX: Final = 32
"""Namespaces that are open at a time: each has up to nine connections of two descriptors each,
and a process may have a thousand."""

NAMESPACE_IDLE_MS_MAX: Final = 300_000
"""How long a namespace that nobody uses stays open: agents that work come back within minutes, and
opening one takes tens of milliseconds."""

NAMESPACE_WAIT_MS_MAX: Final = 5_000
"""How long a request waits for its namespace while all that may be open are in use, or while this
one is opened or closed for another: as long as a store that is busy is waited for."""

NAMESPACES_CLOSE_MS_MAX: Final = 10_000
"""How long closing all namespaces waits for those in use: a request that is answered takes less,
and who stops a service kills it after not much more."""

KEY_ID_BYTES: Final = 10
"""80 bits name a key, in 16 characters: a billion keys have a chance of 1 in a million that two are
named alike, and then the second is not issued."""

KEY_SECRET_BYTES: Final = 32
"""256 bits: nobody guesses it, so that one digest of it may be kept without salt or stretching."""

KEY_CACHE_MS_MAX: Final = 5_000
"""How long a key that was verified is taken for valid without a look at the store: as long as a key
that was revoked elsewhere may go on working."""

KEYS_CACHED_MAX: Final = 4_096
"""Keys that are remembered as verified, half a kilobyte each; one beyond them costs a look at the
store at each use."""

KEY_SECONDS_MAX: Final = 10 * 365 * 86_400
"""The longest that a key is issued or renewed for; one without an expiry says so."""

KEYS_LISTED_DEFAULT: Final = 50
"""Keys of one page of a list, when nobody says how many."""

KEYS_LISTED_MAX: Final = 1_000
"""Keys of one page of a list at most."""

# --- MCP ------------------------------------------------------------------------------------------

STDIO_THREADS: Final = 16
"""Calls that are worked on at a time over stdio, all but one of them for longer than
CALL_ALONE_SECONDS: one client asks, and what takes it long waits for a model or for the disk."""

MCP_LINE_BYTES_MAX: Final = 16 * 1024 * 1024
"""A longer line over stdio is refused unread: none of our tools takes an argument of a tenth of
that, and reading one takes several times its length in memory."""

MCP_LIST_PAGE: Final = 50
"""Tools, resources or prompts of one page of a list: all tools of one surface fit, and a page of
sessions is short enough for a model to read."""

MCP_PROGRESS_SECONDS: Final = 1.0
"""How often a call that takes long says that it is still at work: clients wait a minute or so for
an answer, and longer where they hear something."""

MCP_ENDING_SECONDS_MAX: Final = 0.5
"""How long the end of a session over stdio waits for what is asked to be answered, again for calls
that run to end, and again for the store to close: a client that leaves expects its server gone
within two seconds."""

MCP_REQUESTS_OPEN_MAX: Final = 256
"""Requests over stdio that are not answered yet; until one is, no more are read: a client that does
not listen fills no memory."""

MCP_SESSION_IDLE_SECONDS: Final = 1_800.0
"""How long a session of MCP over HTTP is kept without a request: a person may think for half an
hour, and a client that comes later opens another."""

MCP_SESSIONS_MAX: Final = 1_000
"""Sessions of MCP over HTTP at a time: each is a task and a few buffers, tens of kilobytes."""

# --- asking a server ------------------------------------------------------------------------------

CLIENT_TIMEOUT_SECONDS: Final = 60.0
"""A call that is not answered by then has failed: longer than a server lets one take."""

CLIENT_CONNECT_SECONDS: Final = 10.0
"""A server that accepts no connection by then is not there."""

CLIENT_ATTEMPTS_MAX: Final = 4
"""How often a call is sent, where it may be sent again: with pauses of 0.2, 0.4 and 0.8 s that is
through a restart of a server on the same machine.
"""

CLIENT_PAUSE_SECONDS: Final = 0.2
"""Before a call is sent a second time; twice as long before each further one."""

CLIENT_PAUSE_SECONDS_MAX: Final = 10.0
"""Who is asked to wait longer gets the error instead."""

# --- the settings of other programs --------------------------------------------------------------

CLIENT_FILE_BYTES_MAX: Final = 32 * 1024 * 1024
"""A longer settings file of a client is refused: it is held whole several times while it is read.
The largest one seen, in which a client also keeps its history, has 3 MB."""

CLIENT_FILE_DEPTH_MAX: Final = 100
"""Objects and arrays within each other in a client's settings; deeper ones are refused, as the
reader calls itself for each. What clients document goes eight deep."""

CONNECTION_PROOF_SECONDS_MAX: Final = 20
"""How long the server that was written for a client may take to start and to list its tools; what
loads the engine from a cold disk takes three."""

CONNECTION_PROOF_END_SECONDS_MAX: Final = 2
"""How long a server that was tried may take to end once its stdin is closed; then it is killed."""

CONNECTION_PROOF_BYTES_MAX: Final = 4 * 1024 * 1024
"""How much a server may write while it is tried: a list of all tools with their schemas has a
twentieth of it."""

CONNECTION_PROOF_ERROR_CODE_POINTS_MAX: Final = 400
"""How much of what a server wrote on stderr is repeated where it did not answer: the last lines of
a traceback."""

CONNECTION_NAME_CODE_POINTS_MAX: Final = 64
"""The longest name of a server: clients make the names of tools from it, and some cut these."""

# --- identities -----------------------------------------------------------------------------------

IDENTITY_KEY_SECONDS: Final = 900
"""How long a key holds that was given for the token of a cluster: a quarter of the hour that such a
token holds, so that a workload which is gone may ask for as short."""

IDENTITY_TOKEN_BYTES_MAX: Final = 16 * 1024
"""A longer token is refused unread: those of service accounts have one or two kilobytes."""

IDENTITY_EXCHANGES_MAX: Final = 8
"""Tokens that a cluster is asked about at a time: whoever asks has no key yet, and may be anybody
who reaches the server."""

CLUSTER_SECONDS_MAX: Final = 10.0
"""How long the API server of a cluster may take to answer one question: it answers in
milliseconds, and in seconds while it is overloaded."""

CLUSTER_REPLY_BYTES_MAX: Final = 2 * 1024 * 1024
"""The longest answer of an API server that is read: an object of a cluster has 1.5 MiB at most."""
