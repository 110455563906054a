"""The requirements manifest: what is owed, and the tests that prove it.

A requirement is proved by tests, or says why it is not built yet, or both where a part of it is
missing. Tests are named by node ids without parameters; a check of the conformance suite by its
sentence. `tests/architecture/test_requirements.py` holds that all of them exist.
"""

from collections.abc import Callable
from typing import Final

from recense.core.values import Value


class Requirement(Value, kw_only=True):
    """One requirement: its id, what is owed, the section that asks for it, what proves it, and what
    is not built of it and why.
    """

    id: str
    sentence: str
    section: str
    tests: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    missing: str = ""


def _in(file: str) -> Callable[..., tuple[str, ...]]:
    """Return what makes node ids of the names of tests in a file."""

    def nodes(*names: str) -> tuple[str, ...]:
        return tuple(f"tests/{file}.py::test_{name}" for name in names)

    return nodes


_IMPORTING = _in("end_to_end/test_importing")
_HAZARDS = _in("end_to_end/test_hazards")
_TWICE = _in("end_to_end/test_hazards_importing")
_FOUND = _in("end_to_end/test_hazards_recall")
_MATERIALS = _in("end_to_end/test_hazards_materials")
_ISOLATION = _in("end_to_end/test_hazards_privacy")
_TENANTS = _in("end_to_end/test_namespace_isolation")
_KEY_KILLS = _in("end_to_end/test_key_kills")
_KEYS = _in("services/test_keys")
_NAMESPACES = _in("core/test_namespaces")
_OPEN_NAMESPACES = _in("services/test_open_namespaces")
_ERRORS = _in("end_to_end/test_hazards_errors")
_KILLS = _in("end_to_end/test_kills")
_MCP = _in("servers/mcp/test_server")
_MCP_STDIO = _in("servers/mcp/test_stdio")
_FACTS = _in("end_to_end/test_fact_hazards")
_STATED = _in("services/test_fact_admission")
_FACT_KILLS = _in("end_to_end/test_fact_kills")
_REAL = _in("end_to_end/test_real_files")
_EQUAL = _in("end_to_end/test_equal_answers")
_SECRETS = _in("end_to_end/test_secrets")
_FORGETTING = _in("end_to_end/test_forgetting")
_STREAMED = _in("end_to_end/test_streams")
_ANEW = _in("end_to_end/test_reconversion")
_COPIES = _in("importers/test_copies_and_branches")
_CLAUDE_READ = _in("importers/test_claude_code_reading")
_CLAUDE = _in("importers/test_claude_code_conversion")
_CLAUDE_FILES = _in("importers/test_claude_code_materials")
_SPILLED = _in("importers/test_claude_code_spilled")
_PROMPTS = _in("importers/test_claude_code_prompts")
_CODEX_READ = _in("importers/test_codex_reading")
_CODEX = _in("importers/test_codex_conversion")
_KNOWN = _in("importers/test_finding_and_recognising")
_LINES = _in("importers/test_lines")
_CHATGPT = _in("importers/test_chatgpt_importing")
_CHATGPT_TREE = _in("importers/test_chatgpt_tree")
_OPENAI = _in("importers/test_openai_messages_importing")
_FINDING = _in("services/test_discovery")
_DOCTOR = _in("services/test_doctor")
_RETENTION = _in("services/test_retention")
_WATCHING = _in("services/test_watching")
_GREP = _in("services/test_grepping")
_RECALL = _in("services/test_recall")
_ORACLE = _in("services/test_recall_oracle")
_ASKED = _in("services/test_recall_requests")
_SHELF = _in("services/test_materials")
_SESSIONS = _in("services/test_sessions")
_ARRIVING = _in("services/test_streams")
_WIRING = _in("services/test_wiring")
_SETTINGS = _in("test_settings")
_TERMS = _in("core/recall/test_terms")
_ECHO = _in("core/recall/test_echo")
_HITS = _in("core/recall/test_hits")
_FILTERS = _in("core/recall/test_filters")
_LINE_MATCHES = _in("core/recall/test_grep")
_PREDICATE = _in("core/recall/test_predicate")
_GATE = _in("core/transcript/test_gate")
_PROJECTION = _in("core/transcript/test_projection")
_REDACT = _in("core/text/test_redact")
_REDACT_JSON = _in("core/text/test_redact_json")
_REDACT_KEYS = _in("core/text/test_redact_keys")
_REDACT_WORDS = _in("core/text/test_redact_languages")
_REDACT_REAL = _in("core/text/test_redact_shared_data")
_REDACT_STREAM = _in("core/text/test_redact_stream")
_NAMED = _in("core/text/test_known_secrets")
_SNIPPETS = _in("core/text/test_snippets")
_WORDS = _in("core/text/test_words")
_OPENING = _in("adapters/test_sqlite_opening")
_PROCESSES = _in("adapters/test_sqlite_processes")
_LIMITS = _in("adapters/test_sqlite_limits")
_DAMAGE = _in("adapters/test_sqlite_damage")
_GONE = _in("adapters/test_sqlite_forgetting")
_INDEX_FILE = _in("adapters/test_sqlite_index")
_INDEXING = _in("services/test_indexing")
_VERIFYING = _in("services/test_verifying")
_GRAMS = _in("core/text/test_grams")
_TOTALS = _in("core/transcript/test_totals")
_VERSIONS = _in("core/recall/test_versions")
_DAMAGED_EVENTS = _in("adapters/test_sqlite_damaged_events")
_HOOK = _in("hook/test_hook")
_CLI = _in("cli/test_commands")
_CLI_WHOLE = _in("cli/test_end_to_end")
_CLI_DOCUMENTS = _in("cli/test_documents")
_CLI_FAILURES = _in("cli/test_failures")
_CLI_TEXT = _in("cli/test_text")
_CLI_IMPORTING = _in("cli/test_importing")
_CLI_MATERIAL = _in("cli/test_material")
_SURROUNDINGS = _in("cli/test_surroundings")
_TERMINAL = _in("cli/test_terminal")
_FORGERY = _in("cli/test_forgery")
_BENCH = _in("bench/test_importing")
_AGENTS = _in("services/test_agents")
_AGENT_TURNS = _in("services/test_agent_turns")
_AGENT_ACTIONS = _in("services/test_agent_actions")
_AGENT_RECONCILING = _in("services/test_agent_reconciling")
_AGENT_KILLS = _in("end_to_end/test_agent_kills")
_AGENT_LEASES = _in("end_to_end/test_agent_leases")
_HELD_LEASES = _in("services/test_agent_leases")
_AGENT_EXAMPLE = _in("end_to_end/test_agent_example")

_NO_FACTS: Final = "facts are not part of this release"
_NO_SERVERS: Final = "neither an MCP nor an HTTP server is part of this release"
_NO_ARCHIVE_SCAN: Final = (
    "what is not converted is read in full: no scan of stored records narrows it"
)
_NO_VECTORS: Final = "the semantic channel is not part of this release, and recall says so in a gap"
_MEASURED: Final = "a figure of a benchmark, and no assertion of a test"

_CUT_RECORDS: Final = (
    "a record longer than a chunk comes back byte for byte, also when cut inside a character"
)

_A: Final = "hazards A"
_B: Final = "hazards B"
_C: Final = "hazards C"
_E: Final = "hazards E"
_F: Final = "hazards F"
_G: Final = "hazards G"
_H: Final = "hazards H"

_HAZARDS_A: Final = (
    Requirement(
        id="A-compressed-rollouts",
        sentence="A rollout that Codex compresses is found, decoded within a bound, and one session"
        " whichever of its two files came first.",
        section=_A,
        tests=(
            *_TWICE("a_rollout_and_its_compressed_copy_are_one_session_whichever_came_first"),
            *_HAZARDS("a_rollout_that_codex_compresses_is_one_session_before_during_and_after"),
            *_CODEX_READ(
                "a_compressed_rollout_gives_the_records_of_the_plain_one",
                "a_small_file_that_stands_for_an_enormous_one_is_cut_off",
            ),
        ),
    ),
    Requirement(
        id="A-foreign-grammar",
        sentence="A file in another grammar than its name promises is a failure with a reason.",
        section=_A,
        tests=(
            *_IMPORTING("a_file_in_a_foreign_format_is_a_failure_with_a_reason"),
            *_KNOWN("neither_recognises_another_format", "codex_recognises_its_own"),
        ),
    ),
    Requirement(
        id="A-empty-parse",
        sentence="A file that gives nothing is never done: it stays a failure, and a better"
        " importer fills it.",
        section=_A,
        tests=(
            *_IMPORTING(
                "a_file_that_gives_nothing_is_a_failure_and_stays_one",
                "a_file_that_gives_nothing_is_a_failure_also_when_it_is_converted_later",
            ),
            *_TWICE("a_file_that_failed_is_tried_again_when_the_importer_is_a_better_one"),
        ),
        missing="a record that an older importer called bad or skipped is a duplicate for a better"
        " one, and stays unconverted",
    ),
    Requirement(
        id="A-long-headers",
        sentence="A first record of hundreds of kilobytes is read whole and recognised.",
        section=_A,
        tests=(
            *_COPIES("a_header_longer_than_most_lines_is_read_whole"),
            *_KNOWN("a_first_record_longer_than_the_head_is_recognised_by_how_it_begins"),
        ),
    ),
    Requirement(
        id="A-branch-copies",
        sentence="Messages that a branch writes again count once; the copy with a parent wins.",
        section=_A,
        tests=_COPIES(
            "messages_that_a_branch_writes_again_without_parents_appear_once",
            "a_rewind_is_noticed_whichever_copy_came_first",
        ),
    ),
    Requirement(
        id="A-replays",
        sentence="History that compactions write again counts once, in work linear in the lines.",
        section=_A,
        tests=(
            *_TWICE("a_history_that_compactions_replay_costs_once_per_line_and_counts_once"),
            *_IMPORTING("history_that_a_compaction_repeats_counts_once"),
            *_COPIES(
                "a_history_replayed_any_number_of_times_counts_once",
                "compactions_that_replay_all_before_them_count_it_once",
            ),
        ),
    ),
    Requirement(
        id="A-duplicate-ids",
        sentence="An id that comes twice is data: nothing fails, and nothing said is lost.",
        section=_A,
        tests=(
            *_COPIES("one_boundary_on_two_lines_is_one_and_fails_nothing"),
            *_CLAUDE_READ("one_uuid_with_another_message_is_another_record"),
            *_CLAUDE("one_uuid_with_two_messages_gives_two_events_in_either_order"),
            *_REAL("uuids_that_carry_different_messages_in_different_files_lose_none"),
        ),
    ),
    Requirement(
        id="A-results-twice",
        sentence="A tool's result that stands on its line twice counts once, and payloads leave the"
        " records.",
        section=_A,
        tests=(
            *_CLAUDE("a_tools_result_is_read_once_and_its_second_copy_never"),
            *_MATERIALS("an_image_inside_a_result_is_one_material_though_it_is_on_its_line_twice"),
            *_GATE("an_image_moves_to_a_blob_and_leaves_a_reference"),
        ),
    ),
    Requirement(
        id="A-split-replies",
        sentence="A reply that is split over lines is put together in order by its message id.",
        section=_A,
        tests=(
            *_COPIES("a_reply_whose_text_is_in_no_first_fragment_is_whole"),
            *_PROJECTION("fragments_of_one_reply_join_in_order_by_a_line_break"),
        ),
    ),
    Requirement(
        id="A-forks",
        sentence="A fork and its parent in one store count what they share once.",
        section=_A,
        tests=(
            *_TWICE("a_codex_fork_and_its_parent_in_one_store_count_what_they_share_once"),
            *_COPIES(
                "a_fork_holds_its_copies_under_the_ids_of_the_original",
                "a_fork_of_codex_is_of_its_parents_family_and_keeps_its_own_copy",
            ),
            *_REAL(
                "a_fork_pair_gives_equal_answers_in_either_order_and_counts_shared_messages_once"
            ),
        ),
    ),
    Requirement(
        id="A-effective-transcript",
        sentence="What answers is the path that was taken; the raw log keeps the rest.",
        section=_A,
        tests=(
            *_PROJECTION(
                "the_chosen_path_answers_and_the_rest_is_abandoned",
                "a_summary_is_a_message_of_its_own_kind",
            ),
            *_CLAUDE("a_compaction_is_a_summary_and_its_boundary_boilerplate"),
        ),
    ),
    Requirement(
        id="A-agents-apart",
        sentence="Sub-agents and headless runs are told apart and left out before ranking,"
        " counted.",
        section=_A,
        tests=(
            *_RECALL("sub_agents_and_headless_runs_are_left_out_unless_asked_for"),
            *_CODEX("who_drives_a_session_is_read_from_its_header"),
            *_CLAUDE("a_run_without_a_terminal_is_headless"),
        ),
    ),
    Requirement(
        id="A-workspaces",
        sentence="The workspace is the folder in the records, never that of a directory's name.",
        section=_A,
        tests=(
            *_IMPORTING("a_folder_name_never_decides_the_workspace"),
            *_COPIES("two_folders_in_one_directory_are_two_workspaces"),
        ),
    ),
    Requirement(
        id="A-growth",
        sentence="A session that grew gives exactly what is new.",
        section=_A,
        tests=(
            *_IMPORTING("a_file_that_grew_gives_exactly_what_is_new"),
            *_REAL(
                "four_captures_of_a_growing_session_equal_the_last_alone",
                "a_file_that_grew_by_random_cuts_equals_the_whole",
            ),
        ),
    ),
    Requirement(
        id="A-kills",
        sentence="An import that is killed anywhere is completed by the next, without duplicates.",
        section=_A,
        tests=(
            *_HAZARDS(
                "after_kills_at_random_moments_a_rerun_gives_the_store_of_an_undisturbed_run"
            ),
            *_KILLS(
                "after_a_kill_at_every_commit_boundary_a_rerun_gives_the_store_of_an_undisturbed_ru"
                "n",
                "an_import_that_fails_at_a_commit_is_completed_by_the_next",
            ),
        ),
    ),
    Requirement(
        id="A-linear-growth",
        sentence="A long session that grows a hundred times is read in work linear in what is new.",
        section=_A,
        tests=(
            *_HAZARDS(
                "a_long_session_that_grows_a_hundred_times_is_read_in_work_linear_in_what_is_new"
            ),
            *_BENCH("a_session_grows_a_hundred_times_and_each_byte_is_read_once"),
        ),
    ),
    Requirement(
        id="A-newer-exports",
        sentence="A newer full export adds what is new, whatever its file is called.",
        section=_A,
        tests=(
            *_CHATGPT(
                "a_newer_export_adds_exactly_the_new_messages",
                "exports_in_any_order_and_under_any_name_give_each_message_once_and_the_newest_pat"
                "h",
            ),
            *_OPENAI("a_file_written_longer_gives_exactly_what_is_new"),
        ),
    ),
    Requirement(
        id="A-coverage-by-mode",
        sentence="Extraction in another mode is not taken for done.",
        section=_A,
        missing=_NO_FACTS,
    ),
    Requirement(
        id="A-deleted-sources",
        sentence="What was imported stays when its file is gone, and says that it is kept here"
        " only.",
        section=_A,
        tests=(
            *_HAZARDS("a_session_whose_file_is_gone_is_found_and_listed_as_kept_here_only"),
            *_IMPORTING("what_was_imported_stays_when_the_file_is_gone"),
        ),
    ),
    Requirement(
        id="A-own-source-of-truth",
        sentence="Deriving everything anew needs no source file.",
        section=_A,
        tests=_ANEW(
            "a_better_importer_converts_again_without_the_source_file",
            "converting_again_ends_where_a_first_conversion_would",
        ),
    ),
    Requirement(
        id="A-forgetting",
        sentence="A forgotten session does not come back by any import.",
        section=_A,
        tests=_FORGETTING(
            "a_later_import_leaves_it_out_and_counts_it",
            "a_forgotten_session_does_not_come_back_by_growing",
            "a_fork_that_comes_later_brings_only_what_is_its_own",
        ),
    ),
    Requirement(
        id="A-retention",
        sentence="The doctor says what agents will delete soon; importing changes no file's time.",
        section=_A,
        tests=(
            *_RETENTION(
                "a_session_that_will_be_deleted_within_a_week_and_is_not_kept_is_wrong",
                "a_session_that_grew_since_it_was_imported_is_not_kept_yet",
                "the_agents_own_settings_say_how_long_it_keeps_sessions",
            ),
            *_IMPORTING("importing_changes_neither_content_nor_time_of_a_file"),
        ),
    ),
    Requirement(
        id="A-loud-nothing",
        sentence="Files found and nothing imported is loud, source by source.",
        section=_A,
        tests=(
            *_HAZARDS("what_may_not_be_read_is_named_and_stops_nothing"),
            *_CLI_TEXT("an_import_that_found_nothing_says_so_and_what_to_do"),
            *_CLI("a_partial_import_exits_with_1_and_prints_its_report"),
            *_IMPORTING("a_file_that_cannot_be_read_is_a_gap_until_it_can"),
        ),
    ),
    Requirement(
        id="A-memory",
        sentence="Memory is bounded whatever a session or a corpus holds.",
        section=_A,
        tests=(
            *_REAL("importing_everything_stays_within_the_promised_memory"),
            *_LINES("a_long_line_is_read_past_without_being_held"),
            *_CHATGPT("an_export_is_read_as_a_stream"),
        ),
        missing="a million short messages are a corpus of a benchmark",
    ),
    Requirement(
        id="A-large-messages",
        sentence="One message larger than every budget of a page neither stops nor shortens an"
        " import.",
        section=_A,
        tests=(
            *_TWICE("a_message_larger_than_every_page_is_kept_whole_between_its_neighbours"),
            *_CLAUDE_READ("pages_hold_no_more_bytes_than_the_bound_and_one_larger_record_is_alone"),
        ),
    ),
    Requirement(
        id="A-listing",
        sentence="Listing sessions opens no session file.",
        section=_A,
        tests=_TWICE("listing_sessions_opens_no_session_file"),
    ),
    Requirement(
        id="A-cold-process",
        sentence="A fresh process answers within its budget.",
        section=_A,
        missing=_MEASURED,
    ),
    Requirement(
        id="A-one-bad-file",
        sentence="One bad file stops none of the others; commits are small.",
        section=_A,
        tests=(
            *_HAZARDS("a_tree_with_everything_in_it_that_is_no_session_gives_the_sessions"),
            *_IMPORTING("one_poisoned_file_among_many_stops_none_of_them"),
        ),
    ),
    Requirement(
        id="A-fixed-point",
        sentence="One run reaches the fixed point.",
        section=_A,
        tests=(
            *_TWICE("one_run_reaches_the_fixed_point"),
            *_REAL("importing_everything_again_finds_nothing_new"),
        ),
    ),
    Requirement(
        id="A-special-files",
        sentence="Pipes, sockets and loops of links stop nothing and are never opened.",
        section=_A,
        tests=(
            *_FINDING(
                "a_pipe_and_a_socket_are_left_out_with_a_reason_and_never_opened",
                "a_loop_of_links_ends",
                "a_file_reached_by_two_names_is_read_once",
            ),
            *_WATCHING("loops_pipes_and_links_to_nothing_are_passed_over"),
        ),
    ),
    Requirement(
        id="A-no-silent-caps",
        sentence="The last line of a very long session is found.",
        section=_A,
        tests=_IMPORTING("a_needle_in_the_last_line_of_a_hundred_thousand_is_found"),
    ),
    Requirement(
        id="A-torn-lines",
        sentence="A torn last line waits for its end and is then taken.",
        section=_A,
        tests=(
            *_IMPORTING("a_torn_last_line_waits_and_is_taken_when_it_is_whole"),
            *_LINES("a_torn_last_line_waits_for_its_end"),
        ),
    ),
    Requirement(
        id="A-one-path",
        sentence="Imported and written sessions are found alike, by whichever door is asked.",
        section=_A,
        tests=(
            *_EQUAL("both_stores_answer_alike"),
            *_GREP("grep_finds_the_messages_that_recall_finds"),
        ),
        missing=_NO_SERVERS,
    ),
    Requirement(
        id="A-export-trees",
        sentence="Of a conversation that is a tree the chosen branch answers; circles and empty"
        " nodes end nothing.",
        section=_A,
        tests=(
            *_CHATGPT("the_active_branch_answers_and_the_others_are_counted_and_shown_on_request"),
            *_CHATGPT_TREE(
                "a_circle_of_parents_ends",
                "any_links_tell_every_node_once_and_a_path_without_repeats",
            ),
        ),
    ),
    Requirement(
        id="A-broken-unicode",
        sentence="NUL and lone surrogates are replaced at the border and nothing else changes.",
        section=_A,
        tests=_LINES(
            "nul_and_lone_surrogates_become_replacements_and_nothing_else_changes",
            "every_good_record_is_valid_json_without_nul_or_lone_surrogates",
        ),
    ),
    Requirement(
        id="A-two-importers",
        sentence="Two importers at once import everything once between them, and their reports"
        " add up.",
        section=_A,
        tests=_HAZARDS("two_importers_at_once_import_everything_once_between_them"),
    ),
    Requirement(
        id="A-full-disk",
        sentence="A disk that fills is said; what was committed is kept, and a later run completes"
        " it.",
        section=_A,
        tests=(
            *_TWICE("a_disk_that_fills_during_an_import_is_said_and_what_was_committed_is_kept"),
            *_LIMITS(
                "a_full_disk_refuses_a_page_whole_and_takes_it_when_there_is_room",
                "every_write_on_a_full_disk_is_refused_or_kept_whole",
            ),
        ),
    ),
)

_HAZARDS_B: Final = (
    Requirement(
        id="B-every-script",
        sentence="Chinese, Japanese, Korean and Cyrillic text is found, by two characters and by"
        " one.",
        section=_B,
        tests=(
            *_FOUND("what_a_person_would_type_in_chinese_is_found_by_two_characters"),
            *_PREDICATE("any_string_is_found_as_it_stands"),
            *_WORDS("words_are_cut_at_spaces_or_into_pairs"),
            *_TERMS("any_question_is_searched_by_something_that_stands_in_it"),
            *_GRAMS("one_character_of_three_bytes_is_a_gram_by_itself"),
        ),
        checks=("an index offers every message that holds a term, of any length and any script",),
    ),
    Requirement(
        id="B-every-string",
        sentence="Any string is a legal query, or refused as blank or credential-shaped.",
        section=_B,
        tests=(
            *_EQUAL("any_string_is_answered_or_refused_as_blank_or_credential_shaped"),
            *_TERMS("odd_strings_are_legal", "any_string_is_a_term_or_blank_or_credential_shaped"),
        ),
    ),
    Requirement(
        id="B-reading-never-writes",
        sentence="Reading two hundred times changes no answer and no byte of the store.",
        section=_B,
        tests=_FOUND(
            "reading_two_hundred_times_changes_neither_the_answer_nor_a_byte_of_the_store"
        ),
        checks=("asking changes nothing",),
    ),
    Requirement(
        id="B-busy-is-not-broken",
        sentence="A store that is locked is busy, and nothing of it is taken for damage.",
        section=_B,
        tests=_PROCESSES(
            "a_store_can_be_opened_while_another_process_writes",
            "a_write_while_another_process_writes_is_busy_after_the_wait",
        ),
    ),
    Requirement(
        id="B-index-damage",
        sentence="Damage of an index is proved before it is emptied, and never a shorter answer.",
        section=_B,
        tests=_INDEX_FILE(
            "mending_leaves_an_index_that_is_whole",
            "mending_empties_an_index_that_is_damaged",
            "damage_that_a_question_meets_is_an_error_and_never_a_shorter_answer",
        ),
    ),
    Requirement(
        id="B-echo",
        sentence="What Recense once answered comes after everything else, and takes no place of it,"
        " however often it was asked again.",
        section=_B,
        tests=(
            *_FOUND("what_recense_once_answered_ranks_after_all_else_over_three_generations"),
            *_ECHO("an_answer_of_ours_is_an_echo_in_every_form", "a_question_to_us_is_an_echo"),
            *_HITS("an_echo_comes_after_every_other_hit_whatever_its_score"),
        ),
    ),
    Requirement(
        id="B-copies",
        sentence="The same message never comes back twice.",
        section=_B,
        tests=_HITS("each_identity_counts_once_in_the_session_that_began_first"),
    ),
    Requirement(
        id="B-semantic-chunks",
        sentence="Meanings of long messages are found to their end.",
        section=_B,
        missing=_NO_VECTORS,
    ),
    Requirement(
        id="B-not-ready",
        sentence="What is not converted is searched all the same and told; an empty answer is told"
        " from an unsearched corpus.",
        section=_B,
        tests=(
            *_IMPORTING("archiving_alone_is_enough_to_find_a_message"),
            *_KILLS("what_a_killed_import_archived_is_found_before_it_is_converted"),
            *_CLI_TEXT("an_empty_answer_is_told_from_an_unsearched_corpus"),
        ),
    ),
    Requirement(
        id="B-cold-open",
        sentence="What one process kept another finds.",
        section=_B,
        tests=(
            *_EQUAL("a_store_opened_again_answers_as_before"),
            *_CLI_WHOLE("a_term_finds_a_passage_that_can_be_extended"),
        ),
        checks=("a store opened again holds what it held",),
    ),
    Requirement(
        id="B-precision-of-dates",
        sentence="A year alone is no first of January.",
        section=_B,
        tests=_STATED("a_value_of_the_type_is_kept_as_it_is"),
    ),
    Requirement(
        id="B-rare-words",
        sentence="The session with the one rare word comes before fifty with two common ones.",
        section=_B,
        tests=_FOUND("a_session_with_the_one_rare_word_comes_before_fifty_with_two_common_ones"),
    ),
    Requirement(
        id="B-one-filter-contract",
        sentence="A filter holds on every way that gives an answer, and on every store.",
        section=_B,
        tests=(
            *_FOUND("a_filter_holds_for_recall_and_grep_alike"),
            *_GREP("filters_are_those_of_recall"),
            *_EQUAL("both_stores_answer_alike"),
        ),
        checks=(
            "the sums of settled sessions are those over their rows, whatever is asked for",
            "what an origin leaves out is counted by origin, and what waits is in no sum",
        ),
    ),
    Requirement(
        id="B-typed-comparison",
        sentence="Numbers are compared as numbers.",
        section=_B,
        missing="no filter compares numbers; instants are compared as integers",
    ),
    Requirement(
        id="B-graphemes",
        sentence="What is shown is never cut inside a character that a person sees as one.",
        section=_B,
        tests=_SNIPPETS(
            "an_excerpt_holds_its_span_and_cuts_no_grapheme_where_they_fit",
            "a_family_is_shown_whole_or_not_at_all",
        ),
    ),
)

_HAZARDS_C: Final = (
    Requirement(
        id="C-fifty-times",
        sentence="A preference said in fifty ways is one fact with its evidence.",
        section=_C,
        tests=_FACTS("a_preference_said_fifty_times_is_one_fact_with_its_evidence"),
    ),
    Requirement(
        id="C-twice",
        sentence="Remembering twice neither deletes nor doubles.",
        section=_C,
        tests=_FACTS("remembering_twice_neither_deletes_nor_doubles"),
    ),
    Requirement(
        id="C-merged-evidence",
        sentence="The same statement of two sessions is one fact with two sources.",
        section=_C,
        tests=_FACTS("the_same_statement_of_two_sessions_is_one_fact_with_two_sources"),
    ),
    Requirement(
        id="C-only-its-pair",
        sentence="Only the same subject and predicate supersede.",
        section=_C,
        tests=_FACTS("an_update_ends_nothing_but_what_its_pair_held"),
    ),
    Requirement(
        id="C-by-cardinality",
        sentence="What displaces is ruled by cardinality.",
        section=_C,
        tests=_FACTS("what_displaces_is_ruled_by_cardinality_and_by_no_mood"),
    ),
    Requirement(
        id="C-one-episode",
        sentence="The same text added twice is one episode.",
        section=_C,
        tests=_FACTS("the_same_text_added_twice_is_one_episode"),
    ),
    Requirement(
        id="C-derived-text",
        sentence="What is derived from a source that was erased goes with it.",
        section=_C,
        missing="erasing a source of facts is not part of this release",
    ),
    Requirement(
        id="C-visible-conflict",
        sentence="Two writers who contradict each other are a visible conflict.",
        section=_C,
        tests=_FACTS("two_values_of_one_place_from_two_writers_are_a_visible_conflict"),
    ),
    Requirement(
        id="C-one-batch",
        sentence="Of likes and dislikes of one batch the later holds.",
        section=_C,
        tests=_FACTS("likes_and_dislikes_in_one_batch_leave_the_later"),
    ),
    Requirement(
        id="C-correction",
        sentence="A correction names what it superseded, and leaves only the new.",
        section=_C,
        tests=_FACTS(
            "a_correction_leaves_only_the_new",
            "a_rule_about_replacing_comes_from_the_caller_alone",
        ),
    ),
    Requirement(
        id="C-one-current",
        sentence="Of updates, also at once, exactly one is current.",
        section=_C,
        tests=_FACTS("updates_from_many_threads_leave_exactly_one_current"),
    ),
    Requirement(
        id="C-scoped",
        sentence="Forgetting reaches what it names, and needs every name.",
        section=_C,
        tests=_FACTS("forgetting_reaches_what_it_names_and_nothing_beside_it"),
    ),
    Requirement(
        id="C-every-read",
        sentence="What was forgotten is gone from every read.",
        section=_C,
        tests=_FACTS("what_was_forgotten_is_gone_from_every_read"),
    ),
    Requirement(
        id="C-nothing-held",
        sentence="Forgetting what is not held counts nothing.",
        section=_C,
        tests=_FACTS("forgetting_what_is_not_held_counts_nothing"),
    ),
    Requirement(
        id="C-as-of",
        sentence="An instant is honoured by every read that takes one.",
        section=_C,
        tests=_FACTS("as_of_is_honoured_by_every_read_that_takes_it"),
    ),
    Requirement(
        id="C-acknowledged",
        sentence="What was acknowledged outlives a kill.",
        section=_C,
        tests=_FACT_KILLS(
            "what_was_acknowledged_outlives_a_kill_at_any_moment",
            "a_write_that_is_killed_at_its_commit_is_whole_or_nothing_and_done_once_by_a_retry",
        ),
    ),
    Requirement(
        id="C-key",
        sentence="A request with a key of its own is done once, also at once.",
        section=_C,
        tests=_FACTS("one_key_used_at_once_by_many_is_one_event_and_one_answer"),
    ),
    Requirement(
        id="C-unique",
        sentence="One fact that many threads remember is one event.",
        section=_C,
        tests=_FACTS("many_threads_remembering_one_fact_write_one_event"),
    ),
    Requirement(
        id="C-retracted",
        sentence="What is withdrawn leaves its history and no ghost.",
        section=_C,
        tests=_FACTS("what_is_withdrawn_leaves_its_history_and_no_ghost"),
    ),
    Requirement(
        id="C-three-answers",
        sentence="Unknown is not false.",
        section=_C,
        tests=_FACTS("unknown_is_not_false"),
    ),
)

_HAZARDS_E: Final = (
    Requirement(
        id="E-no-lost-write",
        sentence="Many processes write one file of facts, and nothing is lost or refused.",
        section=_E,
        tests=_FACT_KILLS("many_processes_write_one_file_and_nothing_is_lost"),
    ),
    Requirement(
        id="E-no-damage",
        sentence="A file that processes were killed on stays sound.",
        section=_E,
        tests=_FACT_KILLS("what_was_acknowledged_outlives_a_kill_at_any_moment"),
    ),
)

_HAZARDS_F: Final = (
    Requirement(
        id="F-order",
        sentence="The intent is kept before the act, its outcome with the turn that tells of it,"
        " the state last; killed in between, a step that is repeated does nothing twice.",
        section=_F,
        tests=_AGENT_ACTIONS(
            "a_call_is_written_down_before_it_is_made_and_again_when_it_answered",
            "an_outcome_and_the_turn_that_tells_of_it_are_kept_together_or_not_at_all",
            "killed_between_outcome_and_state_a_step_that_is_repeated_does_nothing_twice",
        ),
    ),
    Requirement(
        id="F-done-once",
        sentence="Killed with SIGKILL at every point of every class of act, nothing is done twice"
        " for not knowing, nothing is lost, and what nobody knows heads the next briefing.",
        section=_F,
        tests=_AGENT_KILLS(
            "an_agent_survives_being_killed_at_every_point_of_every_kind_of_act",
            "a_round_of_kills_is_every_named_point_with_every_tool",
            "the_judge_notices_what_was_done_twice",
            "the_judge_notices_what_was_acknowledged_and_is_not_there",
        )
        + _AGENT_EXAMPLE(
            "the_loop_is_killed_within_every_tool_and_prints_what_its_readme_shows",
        ),
    ),
    Requirement(
        id="F-same-act",
        sentence="An act is named by what it is: the same by accident meets the one before it, the"
        " same on purpose is done again.",
        section=_F,
        tests=_AGENT_ACTIONS(
            "the_same_call_is_not_made_twice_by_accident_and_is_on_purpose",
            "a_retry_of_a_call_is_answered_with_what_the_call_came_to",
        ),
    ),
    Requirement(
        id="F-two-instances",
        sentence="Of two that resume one agent one writes; a holder that stalled or lost its lease"
        " is refused in the write itself.",
        section=_F,
        tests=(
            *_AGENT_LEASES(
                "of_two_that_resume_at_once_exactly_one_writes",
                "who_stalled_inside_a_write_past_its_lease_is_refused_by_the_write_itself",
            ),
            *_HELD_LEASES(
                "a_stalled_holder_is_refused_in_the_write_itself_whatever_its_own_clock_says"
            ),
        ),
    ),
    Requirement(
        id="F-dead-holder",
        sentence="A dead holder's agent is free one time to live later, whatever wall clocks do.",
        section=_F,
        tests=(
            *_AGENT_LEASES(
                "a_dead_holders_agent_is_free_when_its_time_is_over_and_not_before",
                "a_dead_holders_agent_is_free_by_the_clock_of_this_boot_too",
            ),
            *_HELD_LEASES("wall_clocks_that_jump_by_an_hour_change_nothing"),
        ),
    ),
    Requirement(
        id="F-polite-end",
        sentence="SIGTERM, a closed stdin and the end of a context give an agent back at once.",
        section=_F,
        tests=(
            *_AGENT_LEASES(
                "who_ends_politely_gives_its_agent_back_and_what_it_was_doing_stays_open"
            ),
            *_HELD_LEASES("the_end_of_a_program_gives_its_agents_back"),
            *_AGENT_EXAMPLE("the_loop_gives_its_agent_back_when_it_is_ended"),
        ),
    ),
    Requirement(
        id="F-parallel",
        sentence="Fifty agents written by eight processes lose nothing.",
        section=_F,
        tests=_AGENT_LEASES("many_agents_and_many_processes_share_one_file"),
    ),
    Requirement(
        id="F-doubt",
        sentence="A failure of which nobody knows what it did destroys nothing: where an agent"
        " stands is read again before its next write.",
        section=_F,
        tests=_AGENT_TURNS("a_lost_acknowledgement_is_found_out_before_the_next_write"),
    ),
    Requirement(
        id="F-forgotten",
        sentence="An agent whose session was forgotten goes on in another, and recreates nothing.",
        section=_F,
        tests=_AGENTS("a_forgotten_session_takes_its_texts_along_and_the_agent_goes_on_in_another"),
    ),
    Requirement(
        id="F-four-meanings",
        sentence="A missing result has four meanings, and nobody guesses which.",
        section=_F,
        tests=_AGENT_RECONCILING("a_missing_result_has_four_meanings_and_nobody_guesses_which"),
    ),
)

_HAZARDS_G: Final = (
    Requirement(
        id="G-protocol-only",
        sentence="Stdout of a server holds the protocol and nothing else.",
        section=_G,
        tests=(
            *_CLI_FAILURES("what_a_library_prints_on_stdout_goes_to_stderr"),
            *_MCP_STDIO(
                "a_recall_that_nobody_waits_for_stops_and_stray_prints_reach_no_client",
                "the_stateless_protocol_is_spoken_and_an_end_of_stdin_ends_it_all",
            ),
        ),
    ),
    Requirement(
        id="G-request-encoding",
        sentence="A request that is no UTF-8 gets an error and not silence.",
        section=_G,
        tests=_MCP_STDIO(
            "a_line_that_cannot_be_read_is_answered_and_the_session_lives",
            "text_is_utf_8_whatever_the_locale",
        ),
    ),
    Requirement(
        id="G-orphans",
        sentence="A server ends with its client.",
        section=_G,
        tests=_MCP_STDIO(
            "the_stateless_protocol_is_spoken_and_an_end_of_stdin_ends_it_all",
            "an_end_of_stdin_gives_back_the_agents_that_were_taken",
            "told_to_end_it_ends_and_so_does_one_whose_client_reads_no_more",
        ),
    ),
    Requirement(
        id="G-soak",
        sentence="A server answers as fast after hours as at first.",
        section=_G,
        missing=_NO_SERVERS,
    ),
    Requirement(
        id="G-data-folder",
        sentence="What is kept lies in the user's data folder, and the doctor says where.",
        section=_G,
        tests=_SETTINGS(
            "a_machine_without_settings_has_defaults_in_the_users_data_folder",
            "the_url_of_the_default_store_leads_to_its_file",
        ),
    ),
    Requirement(
        id="G-consoles",
        sentence="No console's encoding stops a command.",
        section=_G,
        tests=(
            *_TERMINAL(
                "no_console_is_too_old_for_any_command",
                "a_process_with_a_western_console_writes_what_it_can",
                "our_own_words_are_plain_ascii",
            ),
            *_SURROUNDINGS("no_console_is_too_old_for_a_failure"),
        ),
    ),
    Requirement(
        id="G-names-with-spaces",
        sentence="A home of any name holds the store, and hooks work from it.",
        section=_G,
        tests=(
            *_SURROUNDINGS("a_home_of_any_name_holds_the_store"),
            *_TERMINAL("the_name_of_the_home_folder_does_not_matter"),
            *_OPENING("a_path_of_any_characters_is_that_path"),
        ),
    ),
    Requirement(
        id="G-machine-mode",
        sentence="With --json every command leaves one document, also when it fails, by schemas"
        " that"
        " are pinned.",
        section=_G,
        tests=(
            *_CLI_DOCUMENTS(
                "a_document_is_as_its_golden_file",
                "any_command_line_that_asks_for_json_leaves_one_document",
            ),
            *_CLI_FAILURES(
                "every_error_of_every_command_is_a_document",
                "an_interruption_of_every_command_is_a_document",
                "bad_usage_is_a_document_and_exits_with_2",
            ),
        ),
    ),
)

_HAZARDS_H: Final = (
    Requirement(
        id="H-namespaces",
        sentence="No file of one namespace is a file of another, and none shows what another"
        " holds.",
        section=_H,
        tests=_ISOLATION(
            "no_file_of_a_namespace_is_a_file_of_another",
            "what_one_namespace_holds_no_other_shows",
            "a_namespace_that_could_be_a_path_or_a_pattern_is_refused",
        )
        + _NAMESPACES(
            "no_two_namespaces_share_a_name_also_where_case_does_not_count",
            "a_name_is_safe_for_a_file_on_every_system",
        )
        + _TENANTS("no_byte_of_one_tenant_is_in_an_answer_or_a_file_of_another")
        + _OPEN_NAMESPACES(
            "many_threads_that_ask_at_once_open_a_namespace_once",
            "one_in_use_is_never_closed_for_room",
        )
        + _KEY_KILLS("processes_that_open_a_namespace_at_once_find_one_file"),
    ),
    Requirement(
        id="H-keys",
        sentence="A key leads to its namespace alone, is kept nowhere, and stays revoked.",
        section=_H,
        tests=_KEYS(
            "no_file_log_error_or_picture_of_a_value_holds_a_key",
            "a_key_that_was_revoked_elsewhere_is_refused_five_seconds_later",
            "a_key_expires_at_its_instant_whatever_is_remembered_of_it",
            "a_record_of_a_key_that_is_written_late_wakes_no_revoked_key",
            "no_key_issues_what_exceeds_it",
        )
        + _KEY_KILLS(
            "a_kill_on_either_side_of_issuing_or_revoking_leaves_one_or_the_other",
            "what_was_acknowledged_before_a_kill_holds_after_it",
        ),
    ),
    Requirement(
        id="H-workspace-segments",
        sentence="A workspace is compared by whole segments, letter for letter.",
        section=_H,
        tests=(
            *_FILTERS("a_workspace_is_compared_segment_by_segment"),
            *_RECALL("a_workspace_includes_what_lies_below_it_and_nothing_beside_it"),
            *_SESSIONS("a_workspace_lists_what_lies_below_it_and_no_neighbour"),
        ),
        checks=("names of every script are told apart exactly",),
    ),
    Requirement(
        id="H-expiry",
        sentence="What has expired is not returned.",
        section=_H,
        missing=_NO_FACTS,
    ),
    Requirement(
        id="H-local-http",
        sentence="A local server trusts no page of the web.",
        section=_H,
        missing=_NO_SERVERS,
    ),
    Requirement(
        id="H-no-paths",
        sentence="What an agent may ask for by id is never a path.",
        section=_H,
        tests=(
            *_MATERIALS("whatever_leads_to_no_material_that_may_be_seen_is_one_answer"),
            *_SPILLED(
                "nothing_outside_of_the_sessions_own_folder_and_no_pipe_is_opened",
                "a_folder_of_outputs_that_leads_elsewhere_is_not_followed",
            ),
            *_CLI_MATERIAL(
                "the_name_of_a_material_is_never_a_path",
                "no_link_is_followed_to_a_file_that_exists",
            ),
        ),
        missing=_NO_SERVERS,
    ),
    Requirement(
        id="H-secrets-in-transcripts",
        sentence="Secrets of a transcript are in no byte of the store and reported by kind.",
        section=_H,
        tests=(
            *_SECRETS("no_secret_survives_an_import_in_any_byte_of_the_store"),
            *_DOCTOR(
                "secrets_are_reported_by_kind_and_session_with_most_first_and_without_a_value"
            ),
        ),
    ),
    Requirement(
        id="H-one-gate",
        sentence="The same secret is hidden by whichever way it comes in; what is none stays.",
        section=_H,
        tests=(
            *_SECRETS(
                "no_secret_survives_an_import_in_any_byte_of_the_store",
                "no_secret_survives_an_export_of_messages",
                "no_secret_survives_in_what_the_hook_archives",
                "no_secret_survives_in_what_is_watched",
                "no_secret_survives_an_append_in_any_byte_of_the_store",
                "no_secret_survives_in_the_title_of_an_opened_session",
            ),
            *_REDACT("a_look_alike_is_left_alone"),
        ),
    ),
    Requirement(
        id="H-errors-without-secrets",
        sentence="No error, report or check repeats a secret that was typed where none belongs.",
        section=_H,
        tests=_ERRORS(
            "a_secret_that_was_typed_where_none_belongs_is_not_repeated",
            "a_secret_in_a_setting_is_not_repeated",
            "a_secret_in_the_settings_file_is_not_repeated",
            "a_secret_in_the_path_of_a_failed_file_is_in_no_report_and_no_check",
            "the_library_repeats_no_secret_either",
            "the_hook_repeats_no_secret",
        ),
    ),
    Requirement(
        id="H-data-not-instructions",
        sentence="Recalled text leaves as data: who said it stands with it.",
        section=_H,
        tests=(
            *_RECALL("a_passage_is_a_verified_hit_with_its_neighbours"),
            *_MCP(
                "an_answer_is_structured_as_its_schema_says_and_the_same_in_text",
                "annotations_say_what_a_call_may_do",
                "the_prompt_is_a_briefing_that_ends_no_fence",
            ),
        ),
    ),
    Requirement(
        id="H-forgery",
        sentence="No text of a session steers a terminal or writes a line of ours.",
        section=_H,
        tests=(
            *_ISOLATION("no_text_of_a_session_is_a_control_or_a_line_of_ours_in_any_command"),
            *_TERMINAL("no_recalled_text_steers_the_terminal"),
            *_FORGERY("no_name_begins_a_line_or_hides", "an_error_is_on_one_line"),
        ),
    ),
    Requirement(
        id="H-owner-alone",
        sentence="Every file that is kept, locks and logs too, is for its owner alone.",
        section=_H,
        tests=(
            *_ISOLATION(
                "no_file_of_a_store_is_for_anybody_but_its_owner",
                "the_lock_of_a_hook_and_the_store_that_it_makes_are_for_their_owner_alone",
            ),
            *_OPENING("a_new_store_and_its_folders_are_for_their_owner_alone"),
        ),
    ),
    Requirement(
        id="H-foreign-settings",
        sentence="A settings file that came with a folder neither moves nor bares a memory.",
        section=_H,
        tests=_SETTINGS("a_file_that_came_with_a_folder_may_not_move_or_bare_sessions"),
    ),
)

_LEDGER: Final = (
    Requirement(
        id="L-source-order",
        sentence="The archive keeps every record as the source had it, in its order, also those"
        " that conversion leaves out.",
        section="10-ledger 1",
        tests=_CLAUDE_READ("second_copies_and_undo_data_are_kept_and_not_converted"),
        checks=("an archived record is read back as it was given, at the next seq of its session",),
    ),
    Requirement(
        id="L-chunks",
        sentence="A record longer than 65,536 bytes is kept in chunks whose digests are checked.",
        section="10-ledger 1",
        tests=_DAMAGE(
            "a_damaged_record_is_named_where_it_is_read_and_where_it_is_looked_for",
            "every_flipped_bit_of_a_compressed_record_is_noticed",
        ),
        checks=(_CUT_RECORDS,),
    ),
    Requirement(
        id="L-blobs",
        sentence="A base64 payload over 1 KiB is kept once as a blob and leaves a reference; one"
        " that is text is redacted first.",
        section="10-ledger 1",
        tests=_GATE(
            "an_image_moves_to_a_blob_and_leaves_a_reference",
            "a_payload_of_exactly_the_bound_stays_and_a_longer_one_moves",
            "a_payload_that_is_text_is_redacted_before_it_is_kept",
        ),
        checks=("a blob is kept once and comes back byte for byte",),
    ),
    Requirement(
        id="L-opaque",
        sentence="Signatures and encrypted reasoning leave their length and digest.",
        section="10-ledger 1",
        tests=(
            *_GATE("a_signature_leaves_its_length_and_digest"),
            *_CLAUDE("signatures_and_encrypted_thinking_are_opaque_and_images_are_not"),
            *_CODEX("encrypted_reasoning_is_opaque"),
        ),
    ),
    Requirement(
        id="L-spans",
        sentence="Secrets are replaced span by span; every other byte and all structure stay.",
        section="10-ledger 1",
        tests=_GATE(
            "a_secret_in_text_is_replaced_and_the_bytes_around_it_survive",
            "structure_is_never_redacted",
            "the_bytes_around_a_payload_survive",
        ),
    ),
    Requirement(
        id="L-scan-safe",
        sentence="Each record says whether a scan of its stored bytes can be trusted.",
        section="10-ledger 1",
        missing=_NO_ARCHIVE_SCAN,
    ),
    Requirement(
        id="L-import-converts",
        sentence="An import archives and converts before it returns; --archive-only and the hook"
        " stop after archiving, and what waits is found by a query.",
        section="10-ledger 1",
        tests=(
            *_IMPORTING("archiving_alone_is_enough_to_find_a_message"),
            *_CLI("import_can_stop_after_archiving"),
            *_HOOK("what_claude_code_tells_after_a_turn_archives_the_session_and_converts_nothing"),
            *_ORACLE("an_answer_is_the_same_before_and_after_conversion"),
        ),
    ),
    Requirement(
        id="L-index-pages",
        sentence="Indexing is paged and durable, goes on where it was cut off, and vouches last.",
        section="10-ledger 1",
        tests=_INDEXING(
            "indexing_page_by_page_while_a_session_grows_gives_the_rows_of_indexing_once",
            "a_run_that_is_cut_off_is_gone_on_with",
            "a_session_that_has_grown_costs_its_new_events",
            "a_second_run_writes_nothing",
            "what_is_held_at_once_is_a_page_and_not_the_session",
            "progress_is_told_after_each_page_and_ends_with_all",
        ),
        checks=("an index answers for a session when it is written to its end, and not before",),
    ),
    Requirement(
        id="L-reads-never-write",
        sentence="No read writes.",
        section="10-ledger 1",
        tests=(
            *_FOUND("reading_two_hundred_times_changes_neither_the_answer_nor_a_byte_of_the_store"),
            *_LIMITS("a_file_without_permission_to_write_can_be_read"),
        ),
    ),
    Requirement(
        id="L-better-importer",
        sentence="A better importer converts again from the archive, without the source file.",
        section="10-ledger 1",
        tests=_ANEW(
            "a_better_importer_converts_again_without_the_source_file",
            "an_import_converts_again_what_an_earlier_version_converted",
            "what_waits_is_read_as_it_will_be_converted",
        ),
        missing="records that an older version called bad or skipped",
    ),
    Requirement(
        id="L-keep-source",
        sentence="After conversion the archive is kept compressed, or dropped.",
        section="10-ledger 1",
        tests=_ANEW("what_was_dropped_stays_as_it_was_converted"),
        checks=(
            "converted records come back as they were archived when they are kept",
            "dropped records are absent, and are known when they are read again",
        ),
    ),
    Requirement(
        id="L-conversion",
        sentence="Conversion is deterministic, prefix-stable and resumable, its state bounded.",
        section="10-ledger 1",
        tests=(
            *_CLAUDE(
                "conversion_gives_the_same_events_and_state_however_it_is_cut",
                "the_state_stays_within_its_bound_whatever_a_session_holds",
                "no_record_of_any_shape_makes_conversion_raise",
            ),
            *_CODEX(
                "conversion_gives_the_same_events_and_state_however_it_is_cut",
                "the_state_stays_within_its_bound_whatever_a_session_holds",
                "no_record_of_any_shape_makes_conversion_raise",
            ),
        ),
    ),
    Requirement(
        id="L-pages",
        sentence="Pages hold at most 256 records and 4 MiB, and are kept whole or not at all.",
        section="10-ledger 1",
        tests=_CLAUDE_READ(
            "pages_hold_no_more_records_than_the_bound",
            "pages_hold_no_more_bytes_than_the_bound_and_one_larger_record_is_alone",
        ),
        checks=(
            "records are read in pages of a number of records",
            "records are read in pages of a number of bytes, and never fewer than one record",
            "a page that contradicts the store is refused, and nothing of it is kept",
        ),
    ),
    Requirement(
        id="L-short-writes",
        sentence="No writer is held for more than a second.",
        section="10-ledger 1",
        tests=_LIMITS("readers_do_not_keep_a_writer_waiting_nor_a_writer_readers"),
        missing=_MEASURED,
    ),
    Requirement(
        id="L-hindsight",
        sentence="A later event may finish the open message and change flags of earlier ones, and"
        " nothing else.",
        section="10-ledger 1",
        tests=_PROJECTION(
            "a_later_event_finishes_messages_and_changes_flags_and_nothing_else",
            "projecting_in_two_pieces_says_the_same_as_projecting_at_once",
        ),
    ),
    Requirement(
        id="L-identity",
        sentence="A record is known by source, uuid and content, or else by session, place and"
        " content.",
        section="10-ledger 1",
        tests=(
            *_CLAUDE_READ(
                "what_a_copy_stamps_anew_is_no_part_of_a_records_identity",
                "one_uuid_with_another_message_is_another_record",
            ),
            *_CODEX_READ("records_have_no_uuid_and_are_identified_by_all_they_say"),
        ),
        checks=("another record at a place that is taken is kept beside it",),
    ),
    Requirement(
        id="L-own-copies",
        sentence="Every session keeps its own copy; a hit of one identity counts once, in the"
        " eligible holder that began first.",
        section="10-ledger 1",
        tests=_HITS("each_identity_counts_once_in_the_session_that_began_first"),
        checks=(
            "each session keeps its own copy of a record that several sessions hold",
            "a shared message is owned by the session that starts first, whoever is imported first",
        ),
    ),
    Requirement(
        id="L-event-kinds",
        sentence="Payloads are typed, and an unknown key survives a round trip.",
        section="10-ledger 2",
        tests=_SESSIONS("a_key_that_this_release_does_not_know_survives"),
    ),
    Requirement(
        id="L-append",
        sentence="A session is opened, appended to idempotently by event id, and closed.",
        section="10-ledger 2",
        tests=_SESSIONS(
            "opening_a_session_again_changes_nothing",
            "an_event_is_appended_once_however_often_it_is_sent",
            "a_closed_session_takes_nothing_more_and_stays_closed",
            "an_append_that_is_overtaken_by_a_close_is_refused",
        ),
    ),
    Requirement(
        id="L-streams",
        sentence="A stream lives in segments, reads as if settled, and goes in the commit of the"
        " event that completes it; a piece after that is dropped.",
        section="10-ledger 2",
        tests=_ARRIVING(
            "a_text_that_is_arriving_reads_as_one_message",
            "a_term_across_two_pieces_is_found_by_recall_more_and_grep",
            "a_piece_that_comes_after_completion_is_dropped",
            "the_completed_event_takes_the_place_of_the_stream_and_its_anchor",
        ),
        checks=("a stream goes in the commit whose events complete it, and may begin anew",),
    ),
    Requirement(
        id="L-streamed-secrets",
        sentence="No part of a secret is ever stored while it arrives.",
        section="10-ledger 2",
        tests=(
            *_STREAMED("no_byte_of_the_store_ever_holds_a_part_of_a_secret"),
            *_REDACT_STREAM(
                "a_secret_cut_anywhere_is_hidden_whole",
                "an_open_span_beyond_the_bound_is_hidden_whole_and_left_out_to_its_end",
            ),
        ),
    ),
    Requirement(
        id="L-turns",
        sentence="A turn begins where a person typed, at what precedes the first such prompt, and"
        " at a sub-agent's first one; injected text is a note and opens none.",
        section="10-ledger 2",
        tests=(
            *_PROJECTION(
                "a_turn_begins_where_a_person_typed_and_before_that_at_the_first_message",
                "injected_words_are_a_note_and_open_no_turn",
                "the_prompt_of_an_agent_opens_a_turn_and_is_not_the_words_of_a_person",
                "boilerplate_is_kept_and_never_matched",
            ),
            *_PROMPTS("untagged_words_are_never_lost"),
        ),
    ),
    Requirement(
        id="L-queued",
        sentence="A queued prompt that exists only in the queue is a message of the person.",
        section="10-ledger 2",
        tests=(
            *_CLAUDE("a_queued_prompt_is_queued_text"),
            *_PROJECTION(
                "a_queued_prompt_joins_the_running_turn_and_steps_back_when_it_is_typed_after_all"
            ),
        ),
    ),
    Requirement(
        id="L-abandoned",
        sentence="Abandoned branches are kept and marked, out of answers, and counted in gaps.",
        section="10-ledger 2",
        tests=(
            *_PROJECTION("two_prompts_under_one_parent_abandon_the_branch_between_them"),
            *_CODEX("a_rollback_gives_the_next_prompt_the_parent_of_the_first_one_undone"),
            *_RECALL("flagged_messages_do_not_answer"),
        ),
    ),
    Requirement(
        id="L-unreadable",
        sentence="An unreadable event is a gap of its session, and the rest still reads.",
        section="10-ledger 2",
        tests=(
            *_PROJECTION("an_unreadable_event_is_counted_and_hides_nothing_else"),
            *_RECALL("of_many_unreadable_sessions_the_worst_are_named_and_the_rest_summed"),
            *_DAMAGED_EVENTS("a_flipped_bit_of_a_payload_is_found_and_never_read"),
        ),
    ),
    Requirement(
        id="L-visible-text",
        sentence="What is matched and shown is what each kind of message says, and nothing that we"
        " wrote ourselves is ever matched.",
        section="10-ledger 2",
        tests=(
            *_PROJECTION(
                "names_of_attachments_follow_the_words_one_a_line",
                "a_tool_call_shows_its_name_and_what_a_person_would_recognise_it_by",
                "a_tool_result_is_its_string_leaves_in_document_order_without_escapes",
                "thinking_is_attached_to_what_follows_it_and_never_visible",
                "a_redaction_marker_is_synthetic_text",
            ),
            *_PREDICATE("a_marker_never_matches"),
        ),
    ),
    Requirement(
        id="L-long-results",
        sentence="Of a result the first mebibyte is matched, cut at a line; the rest is counted.",
        section="10-ledger 2",
        tests=_PROJECTION(
            "a_tool_result_beyond_the_limit_is_cut_at_a_line_and_the_rest_is_counted"
        ),
    ),
    Requirement(
        id="L-spilled",
        sentence="A result whose body lies in another file is kept while that is there, and is a"
        " gap"
        " when it is not.",
        section="10-ledger 2",
        tests=_SPILLED(
            "the_whole_body_stands_in_for_its_preview",
            "a_body_that_is_gone_is_a_gap",
            "what_was_read_stays_when_the_body_is_gone_and_nothing_comes_twice",
        ),
    ),
    Requirement(
        id="L-unchanged",
        sentence="An unchanged file is not opened, a grown one read on from where it ended, any"
        " other read again and deduplicated.",
        section="10-ledger 3",
        tests=_IMPORTING(
            "an_unchanged_file_is_not_opened_again",
            "a_file_that_grew_gives_exactly_what_is_new",
            "a_file_rewritten_shorter_keeps_what_was_imported_and_adds_what_is_new",
            "a_touched_file_adds_nothing",
        ),
    ),
    Requirement(
        id="L-broken-lines",
        sentence="Torn, glued, bad and very long lines, marks and line ends are settled at the"
        " border, and every byte is accounted for.",
        section="10-ledger 3",
        tests=(
            *_LINES(
                "objects_glued_together_are_a_record_each",
                "a_line_that_is_no_json_is_one_bad_record_that_is_kept",
                "line_ends_and_the_byte_order_mark_of_other_systems_are_settled",
                "a_line_of_a_hundred_megabytes_streams",
            ),
            *_IMPORTING("one_bad_line_is_counted_and_the_others_are_imported"),
            *_REAL("every_byte_of_every_file_that_was_read_is_accounted_for"),
        ),
    ),
    Requirement(
        id="L-regular-files",
        sentence="Only regular files are read, links are followed once, and the rest has a reason.",
        section="10-ledger 3",
        tests=_FINDING(
            "a_pipe_and_a_socket_are_left_out_with_a_reason_and_never_opened",
            "a_loop_of_links_ends",
            "a_link_to_nothing_is_a_failure",
        ),
    ),
    Requirement(
        id="L-classified",
        sentence="Sub-agents and headless runs are told, linked to their parent and left out before"
        " ranking, counted in a gap.",
        section="10-ledger 3",
        tests=(
            *_CLAUDE_READ("an_agent_with_an_id_is_a_session_below_the_one_it_names"),
            *_CODEX("a_sub_agent_names_its_parent_and_its_prompt_is_an_agents"),
            *_RECALL("sub_agents_and_headless_runs_are_left_out_unless_asked_for"),
        ),
    ),
    Requirement(
        id="L-echo",
        sentence="Messages that hold our own answers are marked and come after every other hit.",
        section="10-ledger 3",
        tests=_FOUND("what_recense_once_answered_ranks_after_all_else_over_three_generations"),
    ),
    Requirement(
        id="L-titles",
        sentence="A title is the given one, else a made one, else a summary of what is in the file,"
        " else the first typed prompt.",
        section="10-ledger 3",
        tests=_CLAUDE(
            "given_titles_rank_above_made_ones_and_the_last_of_a_rank_holds",
            "a_summary_is_the_title_of_the_session_that_has_its_leaf",
            "the_first_prompt_is_the_title_on_one_line_and_cut",
        ),
    ),
    Requirement(
        id="L-instants",
        sentence="A record without an instant takes the last one before it.",
        section="10-ledger 3",
        tests=_CLAUDE_READ("a_record_without_an_instant_takes_the_last_one_before_it"),
    ),
    Requirement(
        id="L-time-zones",
        sentence="No answer depends on the time zone of the machine.",
        section="hazards I",
        tests=(
            *_ISOLATION("no_answer_depends_on_the_time_zone"),
            *_SURROUNDINGS("the_time_zone_changes_no_answer"),
        ),
    ),
    Requirement(
        id="L-watch",
        sentence="Files can be followed.",
        section="10-ledger 3",
        tests=(
            *_WATCHING("what_is_added_to_a_file_is_imported_in_the_next_round"),
            *_CLI_IMPORTING("a_process_that_follows_files_ends_with_its_report_when_it_is_told_to"),
        ),
    ),
    Requirement(
        id="L-hook",
        sentence="The hook loads no command line for an unchanged file, is single-flight, guards"
        " against starting itself, archives and never extracts.",
        section="10-ledger 3",
        tests=_HOOK(
            "an_unchanged_session_is_not_opened_and_loads_neither_the_engine_nor_a_command_line",
            "of_eight_hooks_at_once_one_does_the_work",
            "a_hook_below_a_hook_does_nothing",
            "what_changes_while_a_hook_works_is_archived_when_all_have_ended",
        ),
        missing=f"its 150 ms are {_MEASURED}",
    ),
    Requirement(
        id="L-hidden",
        sentence="A hidden session is read by no search until it is shown again.",
        section="10-ledger 4",
        tests=(
            *_FORGETTING("a_hidden_session_is_read_by_no_search_until_it_is_shown_again"),
            *_RECALL("a_private_session_is_not_read_not_counted_and_not_named"),
            *_GREP("private_sessions_are_never_read_and_counted"),
        ),
    ),
    Requirement(
        id="L-incognito",
        sentence="Incognito, or a setting of it that cannot be read, refuses before a store is"
        " opened or made.",
        section="10-ledger 4",
        tests=(
            *_ISOLATION(
                "incognito_refuses_before_a_store_is_made_or_opened",
                "in_incognito_the_library_recalls_nothing_and_keeps_what_it_is_told_to",
            ),
            *_SHELF("incognito_refuses_before_anything_is_read"),
            *_GREP("incognito_refuses_a_pattern"),
        ),
    ),
    Requirement(
        id="L-forget",
        sentence="Forgetting leaves no byte, names the forks that still hold the text, is refused"
        " without a terminal or --yes, and is remembered by keyed hashes.",
        section="10-ledger 4",
        tests=(
            *_FORGETTING(
                "everything_of_a_session_goes_and_what_others_hold_stays",
                "no_byte_of_it_is_in_any_file_of_the_store",
                "with_its_forks_the_text_is_gone_altogether",
            ),
            *_GONE("no_byte_of_what_was_forgotten_is_in_any_file"),
            *_CLI("forgetting_without_a_terminal_or_yes_is_refused_and_names_who_holds_copies"),
        ),
    ),
    Requirement(
        id="L-shelved",
        sentence="Shelved sessions are recalled and left out of a person's list.",
        section="10-ledger 4",
        tests=(
            *_CODEX("a_session_in_the_folder_of_archived_ones_is_shelved"),
            *_CLI("sessions_that_were_put_away_are_listed_when_asked_for"),
        ),
    ),
    Requirement(
        id="L-families",
        sentence="Of edited and resent versions the freshest eligible session that hit answers.",
        section="10-ledger 4",
        tests=(
            *_FOUND(
                "of_edited_and_resent_sessions_the_freshest_that_hits_answers",
                "of_a_codex_thread_and_its_forks_the_freshest_that_hits_answers",
            ),
            *_HITS("of_a_family_of_revisions_the_freshest_that_hit_answers"),
        ),
    ),
    Requirement(
        id="L-materials",
        sentence="An attachment or an image of a tool is a material, described by what is known.",
        section="10-ledger 5",
        tests=(
            *_MATERIALS(
                "an_image_and_a_document_of_a_prompt_are_listed_with_its_turn_and_given_exactly",
                "an_image_of_a_codex_prompt_is_a_material",
            ),
            *_CLAUDE_FILES("a_file_of_any_kind_is_described_by_what_is_known"),
            *_RECALL("names_of_materials_are_redacted_and_bytes_never_travel"),
        ),
    ),
    Requirement(
        id="L-survives-kill",
        sentence="What was acknowledged survives kill -9; the doctor says what a power cut costs.",
        section="10-ledger 6",
        tests=(
            *_KILLS(
                "after_a_kill_at_every_commit_boundary_a_rerun_gives_the_store_of_an_undisturbed_ru"
                "n"
            ),
            *_STREAMED("what_was_acknowledged_survives_a_kill_and_the_stream_goes_on"),
            *_OPENING("the_setting_decides_what_a_commit_waits_for", "the_store_says_what_it_is"),
        ),
    ),
    Requirement(
        id="L-no-duplicates",
        sentence="No import, fork, compaction or second import duplicates a message.",
        section="10-ledger 6",
        tests=(
            *_REAL("importing_everything_again_finds_nothing_new"),
            *_TWICE(
                "a_codex_fork_and_its_parent_in_one_store_count_what_they_share_once",
                "a_history_that_compactions_replay_costs_once_per_line_and_counts_once",
            ),
        ),
    ),
    Requirement(
        id="L-rebuilt",
        sentence="Deriving rows anew gives the same answers.",
        section="10-ledger 6",
        tests=_ANEW("converting_again_ends_where_a_first_conversion_would"),
    ),
)

_RECALL_RULES: Final = (
    Requirement(
        id="R-something-asked",
        sentence="At least one of terms and question is asked for.",
        section="20-recall 1",
        tests=_TERMS("neither_terms_nor_a_question_is_refused"),
        missing=f"asking nothing for a profile: {_NO_FACTS}",
    ),
    Requirement(
        id="R-term-bounds",
        sentence="One to eight terms, each trimmed and of 1 to 500 code points, distinct by fold.",
        section="20-recall 1",
        tests=(
            *_FOUND(
                "terms_beyond_their_bounds_are_refused_by_place",
                "eight_terms_of_five_hundred_code_points_are_searched",
            ),
            *_TERMS(
                "terms_are_trimmed_and_the_first_spelling_of_a_fold_stays",
                "what_is_out_of_bounds_is_refused",
            ),
        ),
    ),
    Requirement(
        id="R-credentials",
        sentence="A term, question or pattern that redaction would change refuses the call before"
        " anything is read, by its place and never its text.",
        section="20-recall 1",
        tests=(
            *_FOUND("a_secret_is_refused_by_its_place_wherever_it_is_asked_for"),
            *_TERMS("a_secret_is_refused_by_its_place_and_never_repeated"),
            *_ASKED("a_credential_shaped_text_is_refused_wherever_it_stands"),
            *_RECALL("all_of_an_answer_comes_from_one_snapshot_and_a_refusal_from_none"),
            *_GREP("a_refusal_touches_no_store"),
        ),
        missing=f"fact search, history and forgetting by text: {_NO_FACTS}",
    ),
    Requirement(
        id="R-question",
        sentence="A question of at most 2,000 code points re-ranks beside terms; alone it gives at"
        " most 24 terms, from itself and tables in the code, which the answer shows.",
        section="20-recall 1",
        tests=(
            *_TERMS(
                "a_question_has_bounds",
                "with_terms_a_question_gives_none",
                "terms_of_a_question_are_found_in_the_question",
                "of_too_many_terms_the_telling_ones_stay",
            ),
            *_RECALL(
                "a_question_alone_is_searched_by_its_own_words",
                "a_question_with_terms_only_re_ranks",
            ),
        ),
    ),
    Requirement(
        id="R-legal-strings",
        sentence="Any string is legal, or refused as blank or credential-shaped.",
        section="20-recall 1",
        tests=_TERMS("any_string_is_a_term_or_blank_or_credential_shaped", "odd_strings_are_legal"),
    ),
    Requirement(
        id="R-exclude",
        sentence="An excluded turn, by id or as the last, comes back neither by recall nor by"
        " more.",
        section="20-recall 1",
        tests=(
            *_FOUND("an_excluded_turn_comes_back_by_no_anchor"),
            *_RECALL(
                "the_asking_agents_turn_never_comes_back",
                "a_copy_of_the_asking_agents_turn_comes_back_neither_as_hit_nor_as_neighbour",
            ),
        ),
        missing=f"who passes it: {_NO_SERVERS}",
    ),
    Requirement(
        id="R-limits",
        sentence="The limit is 1 to 25; since and until are inclusive.",
        section="20-recall 1",
        tests=(
            *_ASKED("a_value_outside_its_bounds_is_refused"),
            *_FOUND("a_filter_holds_for_recall_and_grep_alike"),
            *_FILTERS("both_ends_are_inclusive", "a_date_is_its_whole_day"),
        ),
    ),
    Requirement(
        id="R-unknown-fields",
        sentence="An unknown field is an error that names the nearest known one.",
        section="20-recall 1",
        missing="no door decodes a request yet; the structs refuse unknown fields, and the command"
        " line has options of its own",
    ),
    Requirement(
        id="R-session-filter",
        sentence="A session is named by its id, or by its source's own where that is one.",
        section="20-recall 1",
        tests=(
            *_RECALL(
                "a_session_is_named_by_its_id_or_by_its_sources_id",
                "a_name_that_several_sessions_have_is_refused",
            ),
            *_FOUND("a_filter_holds_for_recall_and_grep_alike"),
        ),
    ),
    Requirement(
        id="R-narrowing",
        sentence="Whatever narrows the search changes no answer.",
        section="20-recall 4",
        tests=(
            *_ORACLE("narrowing_changes_nothing_but_the_path", "an_answer_is_what_the_rules_say"),
            *_VERIFYING(
                "each_kind_of_difference_is_said_in_words",
                "every_part_of_an_answer_counts_but_time_and_way",
            ),
        ),
    ),
    Requirement(
        id="R-archive-scan",
        sentence="Of what is not converted a scan of stored records names the sessions to read.",
        section="20-recall 4",
        missing=_NO_ARCHIVE_SCAN,
    ),
    Requirement(
        id="R-grams",
        sentence="Where a folded term stands in an image, all grams by which it is asked for stand"
        " in one window of it; a term under three bytes asks nothing and is answered from the"
        " images.",
        section="20-recall 4",
        tests=_GRAMS(
            "where_a_term_stands_all_its_asked_grams_stand_in_one_window",
            "every_piece_of_a_text_is_found_by_its_own_grams",
            "windows_cover_a_text_and_overlap",
            "a_term_shorter_than_a_gram_asks_nothing",
        ),
        checks=(
            "an index offers every message that holds a term, of any length and any script",
            "a long text is offered wherever in it a term stands, and once",
        ),
    ),
    Requirement(
        id="R-unvouched",
        sentence="A session whose index is not of its present state, or of other rules, is always"
        " offered; whatever happens to a session takes its vouch back.",
        section="20-recall 4",
        tests=(
            *_VERSIONS("a_rule_that_changed_has_another_version"),
            *_INDEX_FILE("what_other_rules_indexed_is_not_vouched_for_or_redacted_again"),
            *_INDEXING("a_session_that_others_write_meanwhile_is_indexed_as_far_as_it_was_read"),
        ),
        checks=(
            "whatever happens to a session takes back what an index said of it",
            "a page of an index on another base writes nothing, and others on it are written",
            "an index answers for nothing that other rules made, or that could not be read",
            "emptying an index takes back all that it answers for",
            "a conversion made anew is indexed anew",
        ),
    ),
    Requirement(
        id="R-open-streams",
        sentence="A session with a text that is still arriving is never answered for by an index.",
        section="20-recall 4",
        checks=("whatever happens to a session takes back what an index said of it",),
    ),
    Requirement(
        id="R-unreadable-unvouched",
        sentence="A session with an unreadable event is never vouched for.",
        section="20-recall 4",
        tests=_INDEXING("a_session_with_an_unreadable_event_is_never_vouched_for"),
    ),
    Requirement(
        id="R-damaged-index",
        sentence="A stale, truncated, malformed or deleted index costs time and never an answer;"
        " the doctor compares grams with images.",
        section="20-recall 4",
        tests=_INDEX_FILE(
            "damage_that_a_question_meets_is_an_error_and_never_a_shorter_answer",
            "images_that_are_missing_are_missed_where_all_are_read",
            "damage_is_found_in_words_and_the_rest_of_the_store_is_whole",
            "what_writes_on_a_damaged_index_never_marks_it_as_whole",
            "an_index_is_emptied_however_damaged_it_is",
        ),
    ),
    Requirement(
        id="R-forgotten-grams",
        sentence="Nothing that was forgotten is in an index, damaged or not.",
        section="20-recall 4",
        tests=_INDEX_FILE(
            "forgetting_leaves_no_gram_of_what_went",
            "forgetting_leaves_no_gram_also_in_a_damaged_index",
        ),
        checks=("forgetting leaves nothing of a session in an index",),
    ),
    Requirement(
        id="R-indexed-rows",
        sentence="Message rows of an index are the projection's own, however they were written.",
        section="20-recall 4",
        tests=_INDEXING(
            "indexing_page_by_page_while_a_session_grows_gives_the_rows_of_indexing_once",
            "what_needs_hindsight_is_indexed_as_it_turned_out",
        ),
        checks=(
            "rows of an index replace those at their places, and a page on nothing replaces all",
            "standings of a page apply to the rows of an index, one after the other",
        ),
    ),
    Requirement(
        id="R-session-sums",
        sentence="Figures about sessions are sums of stored counters, the same on every path, and"
        " no question reads the rows of all sessions.",
        section="20-recall 11",
        tests=(
            *_TOTALS("the_totals_of_two_groups_together_are_those_of_all"),
            *_INDEX_FILE(
                "the_sums_of_the_engine_are_those_over_the_rows",
                "a_question_is_answered_by_its_index_and_reads_no_row_of_all_sessions",
            ),
        ),
        checks=(
            "the sums of settled sessions are those over their rows, whatever is asked for",
            "hidden sessions and the sub-agents below them are in no sum, and are counted",
        ),
        missing=f"milliseconds and megabytes: {_MEASURED}",
    ),
    Requirement(
        id="R-materials-listed",
        sentence="Recall lists metadata of materials per turn, and bytes never travel in it.",
        section="20-recall 8",
        tests=(
            *_MATERIALS(
                "an_image_and_a_document_of_a_prompt_are_listed_with_its_turn_and_given_exactly",
                "twelve_attachments_of_one_prompt_are_all_listed_and_given",
            ),
            *_RECALL("materials_of_the_turn_are_listed_and_too_many_are_counted"),
        ),
    ),
    Requirement(
        id="R-material-bytes",
        sentence="A material is given byte for byte; an image over 5 MiB is scaled, or refused with"
        " its size.",
        section="20-recall 8",
        tests=(
            *_MATERIALS(
                "an_image_inside_a_result_is_one_material_though_it_is_on_its_line_twice",
                "an_image_of_twenty_megabytes_is_kept_once_whole_though_its_line_has_it_twice",
            ),
            *_SHELF(
                "an_image_of_five_megabytes_leaves_as_it_is",
                "a_larger_image_is_scaled_and_told_so",
                "a_larger_image_is_refused_with_its_size_where_nothing_scales_it",
            ),
            *_CLI_WHOLE("a_material_that_is_listed_is_saved_and_piped_byte_for_byte"),
        ),
    ),
    Requirement(
        id="R-material-visibility",
        sentence="Only an id on a message that recall could show now leads to bytes; everything"
        " else"
        " is one answer.",
        section="20-recall 8",
        tests=(
            *_MATERIALS("whatever_leads_to_no_material_that_may_be_seen_is_one_answer"),
            *_SHELF("whatever_may_not_be_seen_is_one_answer_byte_for_byte"),
        ),
    ),
    Requirement(
        id="R-envelope",
        sentence="The answer has one envelope within its bytes; what had to be dropped is a gap.",
        section="20-recall 9",
        tests=(
            *_RECALL(
                "an_answer_keeps_every_budget_and_says_what_it_dropped",
                "passages_share_an_envelope_that_is_too_small_for_all",
            ),
            *_CLI_DOCUMENTS("a_document_is_as_its_golden_file"),
        ),
    ),
    Requirement(
        id="R-facts",
        sentence="Facts by question and terms stand beside passages.",
        section="20-recall 9",
        tests=_RECALL("facts_that_cannot_be_read_are_a_gap_and_meanings_when_a_question_is_asked"),
        missing=_NO_FACTS,
    ),
    Requirement(
        id="R-gaps",
        sentence="Gaps are typed and complete: what was not searched, left out, waiting,"
        " unreadable,"
        " failed or hidden is said.",
        section="20-recall 9",
        tests=(
            *_RECALL("gaps_say_how_far_the_search_looked"),
            *_IMPORTING("a_file_that_cannot_be_read_is_a_gap_until_it_can"),
            *_CLI_TEXT("every_gap_has_words_of_its_own", "every_part_of_a_full_gap_is_said"),
        ),
    ),
    Requirement(
        id="R-gaps-alike",
        sentence="Gaps about sessions are the same before and after conversion, and on every path.",
        section="20-recall 9",
        tests=_ORACLE(
            "narrowing_changes_nothing_but_the_path",
            "an_answer_is_the_same_before_and_after_conversion",
        ),
    ),
    Requirement(
        id="R-empty-answers",
        sentence="An empty answer is told from an unsearched corpus, always.",
        section="20-recall 9",
        tests=(
            *_CLI_TEXT("an_empty_answer_is_told_from_an_unsearched_corpus"),
            *_GREP("an_empty_answer_is_told_from_an_unsearched_store"),
        ),
    ),
    Requirement(
        id="R-grep",
        sentence="Grep finds substrings and regular expressions, newest first, every match counted,"
        " with context.",
        section="20-recall 10",
        tests=(
            *_GREP(
                "matches_come_newest_first_and_a_message_reads_from_its_first_line",
                "all_matches_are_counted_beyond_those_that_are_shown",
                "regular_expressions_and_case_are_asked_for",
                "context_is_lines_of_the_same_message",
            ),
            *_CLI_WHOLE("grep_finds_every_line_and_counts_it"),
        ),
    ),
    Requirement(
        id="R-grep-linear",
        sentence="A regular expression takes linear time, or is refused.",
        section="20-recall 10",
        tests=_LINE_MATCHES(
            "an_expression_that_needs_too_much_memory_is_refused",
            "an_expression_finds_what_another_engine_finds_line_by_line",
        ),
    ),
    Requirement(
        id="R-grep-redaction",
        sentence="Grep redacts as recall does, and tells no beginning of a secret.",
        section="20-recall 10",
        tests=(
            *_GREP("no_piece_of_a_secret_leaves_in_any_field"),
            *_LINE_MATCHES(
                "no_beginning_of_a_secret_is_told_from_anything_else",
                "a_match_neither_lies_in_a_marker_nor_reaches_across_it",
            ),
        ),
    ),
)

_REDACTION: Final = (
    Requirement(
        id="X-one-function",
        sentence="One function, idempotent and deterministic; findings carry kind and span and"
        " never"
        " the secret.",
        section="25-redaction",
        tests=_REDACT(
            "redacting_twice_changes_nothing_and_finds_nothing",
            "findings_are_sorted_and_disjoint_and_of_known_kinds",
            "everything_outside_the_findings_stays",
        ),
    ),
    Requirement(
        id="X-linear",
        sentence="Linear time on any input.",
        section="25-redaction",
        tests=_REDACT(
            "four_times_the_text_takes_about_four_times_the_work",
            "a_long_text_that_promises_a_secret_at_every_step_is_still_read",
            "a_long_value_is_judged_in_linear_time",
        ),
    ),
    Requirement(
        id="X-marker",
        sentence="A marker is synthetic text that nobody can match, and no secret itself.",
        section="25-redaction",
        tests=(
            *_REDACT("a_marker_is_no_secret_wherever_it_stands"),
            *_PREDICATE("a_marker_never_matches"),
            *_LINE_MATCHES("a_line_of_nothing_but_a_marker_never_matches"),
        ),
    ),
    Requirement(
        id="X-every-way-out",
        sentence="What leaves has been redacted whole, and then cut.",
        section="25-redaction",
        tests=_RECALL("what_leaves_is_redacted_whole_and_then_cut"),
    ),
    Requirement(
        id="X-structure",
        sentence="Ids, instants, folders and signatures are never redacted.",
        section="25-redaction",
        tests=(
            *_GATE("structure_is_never_redacted"),
            *_CLAUDE(
                "what_the_agent_writes_to_name_things_is_structure",
                "a_secret_beside_an_id_is_redacted_and_the_id_is_not",
            ),
            *_CODEX("what_codex_writes_to_name_things_is_structure"),
        ),
    ),
    Requirement(
        id="X-structure-first",
        sentence="JSON, also inside text, is redacted by key and shape; spans are replaced and JSON"
        " stays JSON.",
        section="25-redaction",
        tests=_REDACT_JSON(
            "json_stays_json_and_repeating_changes_nothing",
            "every_other_byte_stays",
            "a_value_under_a_sensitive_key_is_hidden_unless_it_stands_for_one",
            "json_inside_a_string_stays_json_when_a_number_is_hidden",
        ),
    ),
    Requirement(
        id="X-keys",
        sentence="Sensitive keys are known however they are written; names that only sound so are"
        " not.",
        section="25-redaction",
        tests=_REDACT_KEYS(
            "a_sensitive_name_is_known_however_it_is_written",
            "a_name_that_only_sounds_sensitive_is_not",
        ),
    ),
    Requirement(
        id="X-languages",
        sentence="The words for secrets are known in eight languages.",
        section="25-redaction",
        tests=(
            *_REDACT_KEYS("the_words_of_seven_languages_are_known"),
            *_REDACT_WORDS(
                "a_password_behind_its_label_is_hidden",
                "a_one_time_code_beside_its_word_is_hidden",
                "what_only_speaks_of_secrets_is_left_alone",
            ),
        ),
    ),
    Requirement(
        id="X-placeholders",
        sentence="What stands for a secret is left alone.",
        section="25-redaction",
        tests=_REDACT_KEYS(
            "a_value_that_stands_for_a_secret_is_a_placeholder", "a_variable_stands_for_a_secret"
        ),
    ),
    Requirement(
        id="X-shapes",
        sentence="A secret of each of sixty shapes is hidden, alone, in a log, in a record and in"
        " colour.",
        section="25-redaction",
        tests=(
            *_REDACT(
                "a_secret_of_every_shape_is_hidden",
                "a_secret_is_hidden_in_the_middle_of_a_log",
                "the_fixture_holds_sixty_shapes",
            ),
            *_REDACT_JSON("a_secret_of_every_shape_is_hidden_in_a_record"),
        ),
    ),
    Requirement(
        id="X-hard-negatives",
        sentence="Digests, ids, images, code and names that only look like secrets stay.",
        section="25-redaction",
        tests=(
            *_REDACT("a_look_alike_is_left_alone"),
            *_REDACT_REAL("hard_negatives_are_untouched"),
        ),
    ),
    Requirement(
        id="X-known-secrets",
        sentence="Values of named .env files are hidden exactly, and nothing of them is kept.",
        section="25-redaction",
        tests=(
            *_CLI_IMPORTING("named_secrets_are_in_no_byte_of_the_store_and_counted"),
            *_NAMED("every_value_that_is_kept_is_hidden", "nothing_of_the_values_is_shown"),
            *_WATCHING("named_secrets_are_hidden_in_every_round"),
        ),
    ),
    Requirement(
        id="X-doctor",
        sentence="The doctor reports findings by kind and session, with no value.",
        section="25-redaction",
        tests=_DOCTOR(
            "secrets_are_reported_by_kind_and_session_with_most_first_and_without_a_value"
        ),
        checks=("what the gate hid is counted by session and kind, once for what is kept",),
    ),
    Requirement(
        id="X-admission",
        sentence="A term that redaction would change refuses the call.",
        section="25-redaction",
        tests=_SECRETS("asking_for_a_secret_is_refused_by_its_place_and_never_by_its_text"),
    ),
    Requirement(
        id="X-targets",
        sentence="Of labelled secrets 98 % are caught, of hard negatives 99.5 % untouched.",
        section="25-redaction",
        tests=_REDACT_REAL("labelled_secrets_are_caught", "hard_negatives_are_untouched"),
        missing=f"150 MB/s are {_MEASURED}",
    ),
    Requirement(
        id="X-every-way-in",
        sentence="The sixty shapes are in no byte of the store after any way in.",
        section="25-redaction",
        tests=_SECRETS(
            "there_are_as_many_shapes_as_the_gate_promises",
            "no_secret_survives_an_import_in_any_byte_of_the_store",
            "no_secret_survives_in_what_the_hook_archives",
            "no_secret_survives_an_append_in_any_byte_of_the_store",
        )
        + _FACTS("no_secret_survives_remembering_in_any_byte_of_the_store"),
        missing=f"extraction, agent turns and uploads: {_NO_SERVERS}",
    ),
)

REQUIREMENTS: Final[tuple[Requirement, ...]] = (
    *_HAZARDS_A,
    *_HAZARDS_B,
    *_HAZARDS_C,
    *_HAZARDS_E,
    *_HAZARDS_F,
    *_HAZARDS_G,
    *_HAZARDS_H,
    *_LEDGER,
    *_RECALL_RULES,
    *_REDACTION,
)
