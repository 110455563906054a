"""What the invented team of the demonstration said and did; the formats are elsewhere.

Mira Okafor keeps the server of Skerry, Lin Yue (林悦) its kiosks, Tomás Reyes its machines. Their
sessions lie within six weeks of 2026. The islands, ferries, hosts and people do not exist.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

DEPLOY_PLACEHOLDER: Final = "@@DEMO-DEPLOY-TOKEN@@"
DATABASE_PLACEHOLDER: Final = "@@DEMO-DATABASE-PASSWORD@@"
"""Where `demo.py` puts invented secrets, in its copy; no secret-shaped text is kept in a file."""


class Typed(NamedTuple):
    """What a person typed, with or without a screenshot."""

    text: str
    screenshot: bool = False


class Says(NamedTuple):
    """What the agent answered."""

    text: str


class Tool(NamedTuple):
    """A tool the agent used, and what it answered."""

    name: str
    arguments: Mapping[str, str]
    result: str
    failed: bool = False


class SubAgent(NamedTuple):
    """An agent that the agent started: its task, what it did, what it reported."""

    agent: str
    description: str
    prompt: str
    steps: tuple[Says | Tool, ...]
    report: str


class Compaction(NamedTuple):
    """The agent's context was full: what came before is replaced by this summary."""

    summary: str


Step = Typed | Says | Tool | SubAgent | Compaction


class Story(NamedTuple):
    """A session: who, where, from when (UTC, ISO 8601), and step by step what."""

    session: str
    source: str
    title: str
    folder: str
    branch: str
    begins: str
    steps: tuple[Step, ...]


NIGHTLY_IMPORT: Final = Story(
    session="3b1f0f5e-6a52-4c3e-9d1b-7d6a1c2e8f01",
    source="claude_code",
    title="Flaky nightly import of the harbour feed",
    folder="/home/mira/work/skerry",
    branch="import-retries",
    begins="2026-02-17T08:41:00",
    steps=(
        Typed(
            "The nightly timetable import failed again, third time this week. Can you find out why"
            " before I page Tomás?"
        ),
        Says("I'll look at last night's log first, then at how the importer talks to the feed."),
        Tool(
            "Bash",
            {
                "command": "grep -n 'ERROR' logs/import-2026-02-17.log | tail -5",
                "description": "Last errors of last night",
            },
            "1182:02:03:11 ERROR feed: read ECONNRESET after 31 of 48 quays\n"
            "1183:02:03:11 ERROR import: rolled back, 0 departures written\n"
            "1190:02:03:41 ERROR feed: read ECONNRESET after 12 of 48 quays\n"
            "1191:02:03:41 ERROR import: rolled back, 0 departures written\n"
            "1195:02:04:41 ERROR import: giving up after 2 attempts",
        ),
        Tool(
            "Read",
            {"file_path": "/home/mira/work/skerry/skerry/feed/client.py"},
            "     1\tRETRIES = 2\n"
            "     2\tPAUSE_SECONDS = 30\n"
            "     3\t\n"
            "     4\tdef fetch_all(session, quays):\n"
            "     5\t    # one connection for all 48 quays, one transaction for the night\n"
            "     6\t    return [session.get(f'/quays/{quay}/departures') for quay in quays]",
        ),
        Says(
            "The harbour feed closes any connection after about 30 seconds (ECONNRESET), and the"
            " import asks for all 48 quays on one connection inside one transaction. So a slow"
            " night loses everything. More retries only repeat the same long request."
        ),
        Typed(
            "The harbour office says they publish changes every ten minutes, too. Should we drop"
            " the nightly import and follow those?"
        ),
        Says(
            "Yes. Decision: drop the nightly import and read the change feed every ten minutes"
            " instead. Each poll is one short request for the quays that changed, so a connection"
            " never lives long enough to be reset, a failed poll costs ten minutes rather than a"
            " night, and there is nothing left to roll back. I would keep the full import as a"
            " command for the first load, with a retry budget of 3 and jittered backoff."
        ),
        Tool(
            "Edit",
            {
                "file_path": "/home/mira/work/skerry/skerry/feed/client.py",
                "old_string": "RETRIES = 2\nPAUSE_SECONDS = 30",
                "new_string": "RETRY_BUDGET = 3\nPAUSE_SECONDS_MAX = 8  # jittered, doubled each"
                " time",
            },
            "The file /home/mira/work/skerry/skerry/feed/client.py has been updated.",
        ),
        Tool(
            "Bash",
            {"command": "pytest -q tests/feed", "description": "Run the feed tests"},
            "...........                                              [100%]\n11 passed in 0.84s",
        ),
        Says("The feed tests pass. The change feed itself is the next branch."),
    ),
)

OFFLINE_TICKETS: Final = Story(
    session="8c7a3d90-0b7e-4f6c-8f53-2f5f0a9b6c02",
    source="claude_code",
    title="检票机离线检票的签名有效期",
    folder="/home/linyue/work/skerry-kiosk",
    branch="offline-tickets",
    begins="2026-02-24T01:15:00",
    steps=(
        Typed(
            "码头的网络经常断，检票机断网以后就不能检票了。我想做离线检票，你觉得怎么设计比较稳？"
        ),
        Says(
            "可以把船票做成带签名的二维码：出票时服务器用私钥签名，检票机只保存公钥，断网也能验证。"
            "需要决定三件事：签名多久有效、同一张票怎么防止重复使用、公钥怎么更换。"
        ),
        Tool(
            "Grep",
            {"pattern": "verify_ticket", "path": "/home/linyue/work/skerry-kiosk/src"},
            "src/gate/scan.ts:41:  const result = await api.verify_ticket(code)\n"
            "src/gate/scan.ts:58:  // 断网时直接拒绝，乘客只能排队等网络",
        ),
        Typed("签名有效期设成一周可以吗？有的乘客提前一周买票。"),
        Says(
            "不建议。有效期应该从开船时间算，不是从买票时间算。结论：离线检票的签名在开船后 72"
            " 小时失效，这样改签和晚点都能覆盖，丢失的票也不会一直有效。"
            "重复使用靠检票机本地记录票号，联网后再和服务器对账。"
        ),
        Tool(
            "Write",
            {
                "file_path": "/home/linyue/work/skerry-kiosk/src/gate/offline.ts",
                "content": "export const SIGNATURE_HOURS = 72 // 从开船时间算\n"
                "export function isValid(ticket: Ticket, now: number) {\n"
                "  return now < ticket.departure + SIGNATURE_HOURS * 3600_000\n}\n",
            },
            "File created successfully at: /home/linyue/work/skerry-kiosk/src/gate/offline.ts",
        ),
        Tool(
            "Bash",
            {"command": "npm test -- offline", "description": "运行离线检票的测试"},
            "PASS  src/gate/offline.test.ts\n  ✓ 断网时接受有效签名\n  ✓ 开船 72 小时后拒绝\n"
            "  ✓ 同一票号第二次拒绝\nTests: 3 passed, 3 total",
        ),
        Says("三个测试都通过了。公钥更换我建议放到下一个任务：检票机每天联网一次就能拿到新公钥。"),
    ),
)

KIOSK_SCREEN: Final = Story(
    session="51d2e7b4-93c1-4d0a-a6f8-0c4e9b7d1a03",
    source="claude_code",
    title="Kiosk screen cuts off the last departure",
    folder="/home/linyue/work/skerry-kiosk",
    branch="main",
    begins="2026-03-03T07:20:00",
    steps=(
        Typed(
            "This is the kiosk at the north quay: the last departure is cut off at the bottom, and"
            " the island names in Chinese are taller than the rest. 能看出是什么问题吗？",
            screenshot=True,
        ),
        Says(
            "In the screenshot the list is five rows of fixed height, and rows with Chinese names"
            " grow past it. The font falls back to one with a taller line for those glyphs, so"
            " five rows need more than the panel has and the last one is clipped."
        ),
        Tool(
            "Bash",
            {
                "command": "grep -n 'line-height\\|overflow' src/panel/departures.css",
                "description": "Row height of the departures panel",
            },
            "12:  overflow: hidden;\n19:  line-height: normal;",
        ),
        Tool(
            "Edit",
            {
                "file_path": "/home/linyue/work/skerry-kiosk/src/panel/departures.css",
                "old_string": "line-height: normal;",
                "new_string": "line-height: 1.25; /* one height for every script */",
            },
            "The file /home/linyue/work/skerry-kiosk/src/panel/departures.css has been updated.",
        ),
        Says(
            "`line-height: normal` takes the height from whichever font is used; a number makes it"
            " the same for every script. The panel now fits five rows in both languages."
        ),
        Typed("好了，屏幕正常了。谢谢！记住：码头的屏幕都是横屏。"),
        Says("不客气。我把这个规则也写进了样式说明：面板里不用 line-height: normal。"),
    ),
)

OUTBOX: Final = Story(
    session="e0a9c6d8-1f4b-4b7e-bd25-96a3f2c80d04",
    source="claude_code",
    title="Bookings through an outbox",
    folder="/home/mira/work/skerry",
    branch="outbox",
    begins="2026-03-09T09:02:00",
    steps=(
        Typed(
            "Bookings are written and then the confirmation mail is sent. When the mail server is"
            " down the booking rolls back. I want an outbox so that a booking never waits for mail."
        ),
        Says(
            "Then the booking and an outbox row are written in one transaction, and a worker sends"
            " what the outbox holds. Sending may happen twice, so each mail carries the booking's"
            " idempotency key and the mail service drops the second."
        ),
        Tool(
            "Bash",
            {
                "command": "psql skerry_dev -c '\\d bookings'",
                "description": "Columns of the bookings table",
            },
            "    Column     |           Type           | Nullable\n"
            "---------------+--------------------------+----------\n"
            " id            | uuid                     | not null\n"
            " passenger     | text                     | not null\n"
            " departure_id  | uuid                     | not null\n"
            " created_at    | timestamp with time zone | not null",
        ),
        Tool(
            "Write",
            {
                "file_path": "/home/mira/work/skerry/migrations/0031_outbox.sql",
                "content": "create table outbox (\n  id bigint generated always as identity"
                " primary key,\n  booking_id uuid not null references bookings (id),\n"
                "  kind text not null,\n  sent_at timestamptz\n);\n"
                "create index outbox_waiting on outbox (id) where sent_at is null;\n",
            },
            "File created successfully at: /home/mira/work/skerry/migrations/0031_outbox.sql",
        ),
        Says("The partial index keeps the worker's query small however long the history grows."),
        Compaction(
            "This session is being continued from an earlier one whose context was full.\n\n"
            "Asked for: an outbox so that a booking never waits for mail.\n"
            "Decided: booking and outbox row in one transaction; a worker sends; sending may"
            " repeat, so each mail carries the booking's idempotency key.\n"
            "Done: migration 0031_outbox.sql with the partial index outbox_waiting.\n"
            "Open: the worker, and what happens to a mail that fails five times."
        ),
        Typed(
            "Go on with the worker. After five failures a person should see it, not a log file."
            " We decided to keep sent mails for thirty days."
        ),
        Tool(
            "Bash",
            {"command": "pytest -q tests/outbox", "description": "Run the outbox tests"},
            "....F                                                    [100%]\n"
            "FAILED tests/outbox/test_worker.py::test_a_poison_mail_does_not_block_the_next\n"
            "1 failed, 4 passed in 1.12s",
            failed=True,
        ),
        Says(
            "The worker took rows in order and stopped at the first that failed. It now skips a row"
            " until its next attempt is due, and after five failures moves it to `outbox_parked`,"
            " which the back office shows as a list."
        ),
        Tool(
            "Bash",
            {"command": "pytest -q tests/outbox", "description": "Run the outbox tests again"},
            ".....                                                    [100%]\n5 passed in 1.09s",
        ),
        Says("All five pass. A parked mail can be sent again from the back office."),
    ),
)

POOL: Final = Story(
    session="0195a8f1-3c40-7b22-9a6e-4d1f7c3b2e05",
    source="codex",
    title="",
    folder="/home/tomas/work/skerry-ops",
    branch="main",
    begins="2026-03-12T10:04:31",
    steps=(
        Typed(
            "Booking requests time out on Friday evenings with 'remaining connection slots are"
            " reserved'. Look at the pgbouncer settings and tell me what is wrong."
        ),
        Says("I'll compare pgbouncer's pool with what PostgreSQL allows."),
        Tool(
            "shell",
            {"command": "grep -nE 'pool_mode|pool_size|max_client' pgbouncer.ini"},
            "7:pool_mode = session\n8:default_pool_size = 20\n9:max_client_conn = 400",
        ),
        Tool(
            "shell",
            {"command": "psql -Atc 'show max_connections'"},
            "100",
        ),
        Says(
            "pool_mode is session, so every idle kiosk keeps a server connection. Five databases"
            " with a pool of 20 already fill the 100 that PostgreSQL allows, and the reserved"
            " slots are what is left. With pool_mode = transaction the same pool serves 400"
            " clients. The one thing to check first is that nothing uses session state: advisory"
            " locks, LISTEN, or prepared statements."
        ),
        Typed("The timetable worker uses LISTEN. Can it go around the pool?"),
        Says(
            "Yes: give the worker its own connection string to port 5432 and leave everything else"
            " on 6432. One direct connection, and the pool can be in transaction mode."
        ),
        Tool(
            "shell",
            {"command": "sed -i 's/pool_mode = session/pool_mode = transaction/' pgbouncer.ini"},
            "",
        ),
        Says("Changed. Reload pgbouncer on a quiet morning; clients stay connected over a reload."),
    ),
)

DUPLICATES: Final = Story(
    session="a47b9e13-58d6-4a0f-8e9c-1b6d3f5a7c06",
    source="claude_code",
    title="Two boarding passes for one seat",
    folder="/home/mira/work/skerry",
    branch="main",
    begins="2026-03-18T13:30:00",
    steps=(
        Typed(
            "Support has two passengers with boarding passes for the same seat on the 07:15 to"
            " Lammerholm. Find out how that can happen."
        ),
        Says("I'll send an agent through the booking code while I look at this booking's history."),
        SubAgent(
            agent="7f3a91c2",
            description="Trace seat assignment",
            prompt=(
                "Trace how a seat is assigned in skerry/booking. Report every place that reads free"
                " seats and later writes one, and whether anything locks in between."
            ),
            steps=(
                Tool(
                    "Grep",
                    {"pattern": "free_seats", "path": "/home/mira/work/skerry/skerry/booking"},
                    "skerry/booking/assign.py:22:    seats = free_seats(departure)\n"
                    "skerry/booking/change.py:48:    seats = free_seats(new_departure)",
                ),
                Tool(
                    "Read",
                    {"file_path": "/home/mira/work/skerry/skerry/booking/change.py"},
                    "    46\tdef change(booking, new_departure):\n"
                    "    47\t    # no lock here: assign.py takes one, this does not\n"
                    "    48\t    seats = free_seats(new_departure)\n"
                    "    49\t    booking.seat = seats[0]",
                ),
            ),
            report=(
                "Two places assign seats. assign.py locks the departure row with SELECT FOR UPDATE"
                " before it reads free seats. change.py does not: a change and a new booking can"
                " both take the first free seat."
            ),
        ),
        Says(
            "That is it: changing a booking does not take the lock that a new booking takes, so"
            " both can be given the first free seat. The fix is the same SELECT FOR UPDATE in"
            " change.py, and a unique constraint on (departure_id, seat) so that the database"
            " refuses what code forgets."
        ),
        Typed("Do both. The constraint first."),
        Tool(
            "Write",
            {
                "file_path": "/home/mira/work/skerry/migrations/0034_one_seat_once.sql",
                "content": "alter table bookings\n"
                "  add constraint one_seat_once unique (departure_id, seat);\n",
            },
            "File created successfully at:"
            " /home/mira/work/skerry/migrations/0034_one_seat_once.sql",
        ),
        Says("Both are in. The two passengers of the 07:15 need a person; everyone after is safe."),
    ),
)

DEPLOY_TOKEN: Final = Story(
    session="c6e8f2a0-7d39-4e1c-b05a-8f9d2a4b6e07",
    source="claude_code",
    title="Staging deploy cannot log in",
    folder="/home/tomas/work/skerry-ops",
    branch="main",
    begins="2026-03-24T16:05:00",
    steps=(
        Typed("The staging deploy says 401 since this morning. What does it log in with?"),
        Tool(
            "Bash",
            {"command": "cat deploy/staging.env", "description": "Settings of the staging deploy"},
            "SKERRY_STAGE=staging\n"
            f"SKERRY_DEPLOY_TOKEN={DEPLOY_PLACEHOLDER}\n"
            f"DATABASE_URL=postgresql://skerry:{DATABASE_PLACEHOLDER}@db.skerry.example:6432/skerry\n"
            "KIOSK_COUNT=14",
        ),
        Says(
            "It logs in with the deploy token in deploy/staging.env. That token was made on"
            " 24 December with a life of 90 days, so it ended last night. It also stands in a file"
            " that is checked in: make a new one in the deploy secrets rather than here, and take"
            " the old line out of the history."
        ),
        Typed("New token is in the secrets now, deploy is green. Remind me to do the same in May."),
        Says(
            "Noted: the new token ends on 22 June, so the third week of June is the time, not May."
        ),
    ),
)

CLOCK_CHANGE: Final = Story(
    session="f29d5b68-4c07-4b93-9e7d-3a8c1f0e5d08",
    source="claude_code",
    title="Ferry times are an hour late after the clock change",
    folder="/home/mira/work/skerry",
    branch="summer-time",
    begins="2026-03-30T06:12:00",
    steps=(
        Typed(
            "Since Sunday every departure on the kiosks is an hour late. 林悦 says 时区 is right on"
            " the kiosks. Is it us?"
        ),
        Tool(
            "Bash",
            {
                "command": "python -m skerry.feed show --quay north --raw | head -3",
                "description": "What the change feed says for the north quay",
            },
            "2026-03-30T07:15 Lammerholm\n2026-03-30T07:40 Ytre Skerry\n2026-03-30T08:05"
            " Lammerholm",
        ),
        Says(
            "It is us. The feed gives local times without a zone, and parse_row reads them as UTC+1"
            " all year. In summer the islands are at UTC+2, so everything is shown an hour late."
        ),
        Tool(
            "Edit",
            {
                "file_path": "/home/mira/work/skerry/skerry/feed/rows.py",
                "old_string": "tzinfo=timezone(timedelta(hours=1))",
                "new_string": 'tzinfo=ZoneInfo("Europe/Oslo")',
            },
            "The file /home/mira/work/skerry/skerry/feed/rows.py has been updated.",
        ),
        Tool(
            "Bash",
            {"command": "pytest -q tests/feed", "description": "Run the feed tests"},
            ".............                                            [100%]\n13 passed in 0.91s",
        ),
        Says(
            "Fixed, with two tests: the hour that does not exist in March and the one that happens"
            " twice in October. The kiosks need nothing; they show what the server says."
        ),
    ),
)

STORIES: Final = (
    NIGHTLY_IMPORT,
    OFFLINE_TICKETS,
    KIOSK_SCREEN,
    OUTBOX,
    POOL,
    DUPLICATES,
    DEPLOY_TOKEN,
    CLOCK_CHANGE,
)
