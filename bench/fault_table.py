"""The table of faults that the bot has to survive: each injected, by the test or the run that injects it, and what came of it.

    python -m bench.fault_table [--quick] [--only PATTERN] [--seeds N] [--no-kinds]

A row names what is done, what is expected, and by what it is done: tests, which inject the fault at the wire, into files or
into processes, and fail where the expected does not come about. `bench.faults`, which counts what the simulated X got, and
`bench.soak` are run at the end, for the rows that bear their names. `--quick` leaves out what takes minutes. Ends with 1 where
a row is not survived, or nothing was injected for it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

ROOT: Final = Path(__file__).parents[1]
E2E: Final = "tests/e2e/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One fault.

    Attributes:
        number: in the table.
        fault: what is done.
        expected: what is to come of it.
        tests: file or file::function, each of which injects it.
        module: of `bench`, with its arguments, that injects it beside.
        choose: an expression of `pytest -k` that leaves only those that do.
    """

    number: int
    fault: str
    expected: str
    tests: tuple[str, ...] = ()
    module: tuple[str, ...] = ()
    choose: str = ""


def _of(file: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{file}::test_{name}" for name in names)


ROWS: Final = (
    Row(number=1, fault="kill -9 at each of 13 points, three times", expected="nothing twice, nothing lost",
        tests=("tests/e2e/test_kill_points.py", "tests/e2e/test_destinations_kill.py"), module=("faults", "--only", "13 points")),
    Row(number=2, fault="kill -9 at random, 30 % API faults, 20 % timeline faults", expected="nothing twice, nothing lost",
        tests=_of(E2E + "test_random_kills.py", "a_few_random_seeds"), module=("faults", "--only", "up to 60 s")),
    Row(number=3, fault="answer lost, 5xx after commit, 201 cut off, hang", expected="unknown, then sent by reading the account",
        tests=(*_of("tests/test_publishing.py", "what_may_have_gone_out_is_unknown_and_nothing_else_is_sent_before_it_is_known"),
               "tests/publishers/test_bluesky_mastodon_at_most_once.py")),
    Row(number=4, fault="the timeline lags", expected="not sent again before two readings, 30 and 90 s after",
        tests=_of("tests/test_reconciling.py", "readings_before_30_and_90_seconds_do_not_count_and_the_second_queues_it_again",
                  "a_post_that_shows_a_minute_late_is_found"), module=("faults", "--only", "2 to 15 minutes")),
    Row(number=5, fault="the timeline cannot be read until the story is stale", expected="left to a person, never sent again",
        tests=_of("tests/test_reconciling.py", "a_timeline_that_cannot_be_read_lets_nothing_out", "unreadable_until_it_is_stale_it_is_left_to_a_person")),
    Row(number=6, fault="403 duplicate", expected="looked for; sent or sent unverified, never a loop",
        tests=_of("tests/test_publishing.py", "xs_own_word_for_a_duplicate_is_looked_up_and_never_sent_again")),
    Row(number=7, fault="429, with and without reset, past and far", expected="one request a window; SIGTERM within a second",
        tests=("tests/x_client/test_limiter.py", "tests/x_client/test_limits.py",
               *_of("tests/test_publishing.py", "a_rate_limit_puts_back_and_waits_for_the_reset"))),
    Row(number=8, fault="401, suspended, no credit", expected="sending waits, the rest goes on, nothing lost",
        tests=_of("tests/test_publishing.py", "without_credentials_or_credit_everything_waits_and_nothing_is_lost")),
    Row(number=9, fault="two instances", expected="the second ends with 75, the database untouched",
        tests=_of(E2E + "test_service.py", "a_second_process_is_turned_away_and_a_look_is_not"), module=("faults", "--only", "two processes")),
    Row(number=10, fault="disk full at every write", expected="no call without a claim; what went out is settled; goes on by itself",
        tests=("tests/store/test_reserve.py", "tests/cli/test_enduring.py"), module=("faults", "--only", "full disk")),
    Row(number=11, fault="database zeroed, garbage, truncated, empty, missing", expected="noticed at the start, exit 78, no post, a way back",
        tests=("tests/store/test_last_end.py", "tests/store/test_database.py", *_of("tests/store/test_restoring.py", "it_is_the_way_back_from_every_damage"),
               *_of(E2E + "test_service.py", "a_lost_database_is_noticed_and_nothing_is_posted"))),
    Row(number=12, fault="an old backup put back", expected="every account read twice, nothing twice",
        tests=("tests/store/test_restoring.py", "tests/test_restored.py"), module=("faults", "--only", "hour ago put back")),
    Row(number=13, fault="another writer for 20 s, and for ever", expected="waits, nothing lost; stops before anything is sent",
        tests=("tests/store/test_busy.py",)),
    Row(number=14, fault="hostile feeds", expected="each within its time and memory, others unaffected",
        tests=("tests/parsing/test_hostile.py", *_of("tests/test_polling.py", "a_hostile_feed_leaves_the_others_alone"))),
    Row(number=15, fault="12,000 damaged feeds", expected="read or refused, no other error", tests=("tests/sources/test_mutated_feeds.py",)),
    Row(number=16, fault="gzip bombs, endless bodies", expected="refused within the caps",
        tests=_of("tests/test_http_client.py", "a_bomb_is_not_unpacked", "a_body_that_is_no_whole_feed_is_an_error", "the_body_of_a_redirect_is_not_read")),
    Row(number=17, fault="slow heads, slow bodies, hangs", expected="left within the total time",
        tests=_of("tests/test_http_client.py", "a_slow_server_is_left_in_time", "a_slow_redirect_counts_into_the_whole_time",
                  "a_tls_handshake_that_hangs_is_left_in_time", "a_lookup_that_hangs_is_left_in_time")),
    Row(number=18, fault="inner addresses: spellings, redirects, rebinding", expected="none is connected to",
        tests=_of("tests/test_http_client.py", "no_spelling_of_an_inner_address_is_reached", "a_redirect_to_an_inner_address_is_not_followed",
                  "a_name_that_changes_between_check_and_connection_gains_nothing")),
    Row(number=19, fault="TLS expired, self-signed, wrong host; other protocols", expected="a sentence, no fallback",
        tests=_of("tests/test_http_client.py", "a_certificate_that_is_no_good_says_what_to_do", "http_at_a_tls_port_and_tls_at_an_http_port")),
    Row(number=20, fault="304, same bodies, 410, redirects, 429", expected="nothing parsed twice; each waited for as it says",
        tests=_of("tests/test_polling.py", "an_unchanged_body_is_not_parsed_again", "a_feed_is_asked_when_due_and_only_for_what_changed",
                  "a_feed_that_is_gone_is_asked_no_more_until_a_person_asks", "a_permanent_redirect_is_followed_and_after_a_week_believed",
                  "a_429_closes_the_host_for_all_its_feeds_also_after_a_restart", "a_failing_feed_backs_off_alone")),
    Row(number=21, fault="1,000 feeds of one host", expected="one connection, a pause between two",
        tests=_of("tests/test_polling.py", "a_thousand_feeds_of_one_host_have_one_connection", "there_is_a_pause_between_two_requests_to_a_host")),
    Row(number=22, fault="20 restarts in 5 minutes", expected="nothing asked early",
        tests=_of("tests/test_polling.py", "twenty_restarts_in_five_minutes_ask_nothing_early")),
    Row(number=23, fault="the clock set, both ways, by years", expected="no burst, no freeze",
        tests=(*_of("tests/test_polling.py", "a_clock_that_was_set_back_freezes_no_feed", "a_clock_that_is_set_moves_the_plan_along"),
               *_of("tests/test_publishing.py", "a_clock_that_was_set_back_holds_no_post_up", "a_pause_outlives_the_process_and_a_clock_set_back"),
               *_of("tests/test_asking.py", "when_the_clock_went_back_by_years_all_are_due"), "tests/test_week.py"),
        module=("faults", "--only", "the clock set")),
    Row(number=24, fault="no names, no network for an hour", expected="backs off, all well within a cycle",
        tests=_of("tests/test_polling.py", "after_an_hour_without_network_all_is_well_within_a_cycle",
                  "a_name_that_is_not_found_while_others_answer_is_the_feeds_own_fault")),
    Row(number=25, fault="shortener down, slow, nonsense", expected="the long link goes out, nothing twice",
        tests=_of("tests/test_shortening.py", "one_failure_costs_a_post_its_turn_and_others_nothing", "after_so_many_tries_the_link_goes_out_long",
                  "one_that_gives_all_the_same_link_is_not_believed", "a_death_while_a_link_is_made_loses_nothing_and_doubles_nothing")),
    Row(number=26, fault="a worker hangs", expected="the watchdog begins the bot anew", tests=("tests/systemd",), choose="hang or watchdog"),
    Row(number=27, fault="SIGTERM while sending, parsing, waiting", expected="ends with 0 in time",
        tests=(*_of(E2E + "test_service.py", "run_posts_and_ends_at_sigterm", "a_feed_that_never_answers_does_not_keep_the_bot_from_ending"),
               *_of("tests/x_client/test_limiter.py", "sigterm_is_obeyed_within_a_second_while_a_window_is_waited_for"),
               *_of("tests/test_polling.py", "a_stop_in_the_middle_of_a_body_undoes_it_and_loses_nothing"))),
    Row(number=28, fault="SIGHUP with a broken configuration", expected="the old one stays, and it is said", tests=("tests/systemd",), choose="reload"),
    Row(number=29, fault="an update of the schema killed half way", expected="made good by the next start",
        tests=_of("tests/store/test_every_step.py", "an_update_that_is_killed_at_any_statement_is_made_good_by_the_next_start",
                  "a_database_of_that_step_is_brought_up_to_date_with_all_that_it_holds_and_used")),
    Row(number=30, fault="canaries for secrets, at DEBUG", expected="found nowhere", tests=("tests/e2e/test_canaries.py",)),
    Row(number=31, fault="a week with 2,000 feeds, restarts and faults", expected="memory, descriptors and log flat, nothing twice, nothing lost",
        module=("soak",)),
    Row(number=32, fault="500 new items at once, renumbered, dated anew", expected="held, not posted",
        tests=("tests/core/test_flood.py", "tests/pipeline/test_odd_histories.py", "tests/test_deciding.py")),
    Row(number=33, fault="the unit's exposure", expected="1.5 at most", tests=("tests/systemd",), choose="little_is_left_open or guarded_alike"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a row: how many injections there were, and what went wrong, "" for nothing."""

    injected: int
    skipped: int
    wrong: str


def run_tests(row: Row, *, quick: bool) -> Outcome:
    """Run the tests of a row in a process of their own."""
    there = [test for test in row.tests if (ROOT / test.partition("::")[0]).exists()]
    if not there:
        return Outcome(injected=0, skipped=0, wrong="")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", *there]
    command += [] if quick else ["-m", "slow or not slow"]
    command += ["-k", row.choose] if row.choose else []
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    counts = {
        word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|error|skipped)", ended.stdout)
    }
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", ended.stdout, re.MULTILINE)
    wrong = ", ".join(failed) if failed else "" if ended.returncode in {0, 5} else ended.stdout[-300:]
    return Outcome(
        injected=counts.get("passed", 0) + len(failed), skipped=counts.get("skipped", 0), wrong=wrong
    )


def run_module(row: Row, seeds: int) -> tuple[str, list[str]]:
    """Run the module of a row; return what went wrong and the lines that it printed."""
    name, *arguments = row.module
    arguments += ["--seeds", str(seeds)] if name == "faults" else []
    ended = subprocess.run(
        [sys.executable, "-m", f"bench.{name}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        "" if ended.returncode == 0 else f"bench.{name}: {ended.stdout[-300:]}{ended.stderr[-300:]}",
        ended.stdout.splitlines(),
    )


def main() -> int:
    """Inject all and print the table; return 1 where something was not survived or not injected."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="leave out the tests that take minutes")
    parser.add_argument(
        "--only", default="", help="the rows whose number and fault this regular expression matches"
    )
    parser.add_argument("--seeds", type=int, default=40, help="of kills at random times (default 40)")
    parser.add_argument("--no-kinds", action="store_true", help="leave out bench.faults and bench.soak")
    options = parser.parse_args()
    print("| # | fault | expected | injections | result | seconds |")
    print("|---|---|---|---|---|---|")
    bad, said = 0, []
    for row in ROWS:
        if not re.search(options.only, f"{row.number} {row.fault}"):
            continue
        began = monotonic()
        outcome = run_tests(row, quick=options.quick)
        wrong, injected = outcome.wrong, outcome.injected
        if row.module and not options.no_kinds:
            worse, lines = run_module(row, options.seeds)
            wrong, injected = wrong or worse, injected + 1
            said += [f"{row.number}: {line}" for line in lines]
        result = f"NOT SURVIVED: {wrong}" if wrong else "survived" if injected else "NOT INJECTED HERE"
        bad += result != "survived"
        note = f" ({outcome.skipped} skipped)" if outcome.skipped else ""
        print(
            f"| {row.number} | {row.fault} | {row.expected} | {injected}{note} | {result} | {monotonic() - began:.0f} |",
            flush=True,
        )
    print("\nWhat the runs said:\n" if said else "", *said, sep="\n")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
