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
_ERRORS = _in("end_to_end/test_hazards_errors")
_KILLS = _in("end_to_end/test_kills")
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

_NO_FACTS: Final = "facts are not part of this release"
_NO_SERVERS: Final = "neither an MCP nor an HTTP server is part of this release"
_NO_INDEX: Final = "recall reads every eligible session in full; there is no index yet"
_NO_VECTORS: Final = "the semantic channel is not part of this release, and recall says so in a gap"
_MEASURED: Final = "a figure of a benchmark, and no assertion of a test"

_A: Final = "hazards A"
_B: Final = "hazards B"
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
            *_TWICE(
                "a_history_that_compactions_replay_costs_once_per_line_and_counts_once"
            ),
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
            *_MATERIALS(
                "an_image_inside_a_result_is_one_material_though_it_is_on_its_line_twice"
            ),
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
            *_REAL("a_fork_pair_gives_equal_answers_in_either_order_and_counts_shared_messages_once"),
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
        sentence="Sub-agents and headless runs are told apart and left out before ranking, counted.",
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
                "after_a_kill_at_every_commit_boundary_a_rerun_gives_the_store_of_an_undisturbed_run",
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
                "exports_in_any_order_and_under_any_name_give_each_message_once_and_the_newest_path",
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
        sentence="What was imported stays when its file is gone, and says that it is kept here only.",
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
            *_CLAUDE_READ(
                "pages_hold_no_more_bytes_than_the_bound_and_one_larger_record_is_alone"
            ),
        ),
    ),
    Requirement(
        id="A-listing",
        sentence="Listing sessions opens no session file.",
        section=_A,
        tests=_SESSIONS("listing_sessions_opens_no_file_and_loads_no_transcript"),
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
            *_CHATGPT_TREE("circles_end", "any_links_tell_every_node_once_and_a_path_without_repeats"),
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
        sentence="Two importers at once import everything once between them; what they read adds up.",
        section=_A,
        tests=_HAZARDS("two_importers_at_once_import_everything_once_between_them"),
        missing="new messages and sessions of a report are differences of the whole store, so that"
        " each of two reports counts what the other did as well",
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
