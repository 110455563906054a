"""Tokens that give themselves away: a prefix, an alphabet and a length, whoever they stand beside.

Law: a row describes the shape its issuer publishes, never a sample. Every pattern is RE2 syntax
over UTF-8 bytes (no lookaround, no back-reference), so a search is linear in the text.

A row holds a *probe* and a *token*. The probe is what one pass over the text looks for: it carries
no boundary and nothing that JSON would escape, so it also fires on the escaped form of a text. Only
where it fires is the token looked for.
"""

import binascii
from collections.abc import Callable
from typing import Final

import msgspec

from recense.core.late_patterns import late_pattern

_LEFT = rb"(?:\A|[^0-9A-Za-z]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)"
"""What may stand before a token: nothing, no letter or digit, an escape, or a terminal colour."""

_SHORT, _LONG = rb"[\w.+/=~\\-]{6}", rb"[\w-]{10}"
"""How far a probe reads into the body: enough to pass over most prose that holds the prefix."""

APART: Final = rb"(?:\A|[^A-Za-z0-9]|\\[nrtbf]|[0-9;\[]m|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})"
"""What stands before a prefixed probe, in a text or in its JSON escape: a wider form of `_LEFT`."""


_DIGIT_RUNS: Final = late_pattern(rb"[0-9]+")


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of token: its probe, and a pattern whose group 1 is hidden and group 2 is judged.

    ``accepts`` sees group 2 and refuses what only looks like the shape. A ``prefixed`` probe is the
    beginning of the token, before which no letter or digit stands.
    """

    kind: str
    probe: bytes
    pattern: bytes
    accepts: Callable[[bytes], bool]
    prefixed: bool = False


_STAND_INS: Final = late_pattern(rb"xxxxx|your|placeholder|redacted|\.\.\.|abcdefghijklmnopqrst")
"""What the body of a token holds that stands for one."""


def is_masked(body: bytes) -> bool:
    """Whether the body of a token stands for a secret instead of being one (`xxxx`, `your-key`)."""
    lowered = body.lower()
    if _STAND_INS.search(lowered) is not None:
        return True
    distinct = len(set(lowered))
    if distinct * 5 > len(body) * 2 + 5:
        return False  # so many characters that none of them can be three in five
    most = max((lowered.count(char) for char in b"x0*._-a1"), default=0)
    return most * 5 >= len(body) * 3 or (body.isdigit() and distinct <= 3)  # noqa: PLR2004 - 123123


def _unmasked(body: bytes) -> bool:
    return not is_masked(body)


def _as_it_is(_body: bytes) -> bool:
    """Of a long random text nothing is judged: by chance it holds words that stand for a secret."""
    return True


def _has_digit(body: bytes) -> bool:
    return not is_masked(body) and any(48 <= byte <= 57 for byte in body)  # noqa: PLR2004 - ASCII digits


def _looks_drawn(body: bytes) -> bool:
    """Two digits at least and letters of both cases: not a word, not a run of capitals."""
    digits = sum(48 <= byte <= 57 for byte in body)  # noqa: PLR2004 - ASCII digits
    return digits > 1 and body != body.lower() and body != body.upper()


def _mixes(body: bytes) -> bool:
    """Several runs of digits among letters: no word, and no name with a version."""
    return not is_masked(body) and len(_DIGIT_RUNS.findall(body)) > 2  # noqa: PLR2004 - `2024a1`


def _ends_drawn(body: bytes) -> bool:
    """The last part between hyphens is long and holds a digit, as no class name does."""
    last = body.rsplit(b"-", 1)[-1]
    return len(last) >= 12 and _has_digit(last)  # noqa: PLR2004 - longer than a word with a version


def _shape(
    kind: str,
    prefix: bytes,
    body: bytes,
    *,
    accepts: Callable[[bytes], bool] = _unmasked,
    probe: bytes = b"",
    inner: bytes = b"",
    long: bool = False,
) -> Shape:
    return Shape(
        kind=kind,
        probe=inner or probe or prefix + (_LONG if long else _SHORT),
        prefixed=not inner,
        pattern=_LEFT + rb"(" + prefix + rb"(" + body + rb"))",
        accepts=accepts,
    )


def _within(kind: str, probe: bytes, pattern: bytes) -> Shape:
    """A secret inside a longer match: the pattern names its groups 1 (hidden) and 2 (judged)."""
    return Shape(kind=kind, probe=probe, pattern=pattern, accepts=_unmasked)


_CLOUD = (
    _shape("aws-access-key", rb"AKIA", rb"[A-Z0-9]{16}", long=True),
    _shape("aws-access-key", rb"(?:ABIA|ACCA|A3T[A-Z0-9])", rb"[A-Z0-9]{16}", long=True),
    _shape("aws-access-key", rb"ASIA", rb"[A-Z0-9]{16}", accepts=_has_digit, long=True),
    _within(
        "aws-secret-key",
        rb"A[KS]IA[A-Z0-9]{16}[^A-Za-z0-9]",
        rb"A[KS]IA[A-Z0-9]{16}[\"'\\,:;|\s]{1,12}(([A-Za-z0-9/+]{40}))",
    ),
    _shape("aws-bedrock-key", rb"ABSK", rb"[A-Za-z0-9+/]{100,}={0,2}"),
    _shape("aws-bedrock-key", rb"bedrock-api-key-", rb"[A-Za-z0-9+/=_-]{20,}"),
    _shape("gcp-api-key", rb"AIza", rb"[\w-]{35,}"),
    _shape("gcp-oauth-token", rb"ya29\.", rb"[\w.-]{20,}"),
    _shape("gcp-oauth-token", rb"1//0", rb"[\w-]{30,}", probe=rb"1\\?/\\?/0[\w-]{12}"),
    _shape("gcp-client-secret", rb"GOCSPX-", rb"[\w-]{20,}"),
    _within(
        "azure-sas",
        rb"[?&;\"' ]sig=[\w%+/\\]{16}",
        rb"[?&;\"' ]sig=(([A-Za-z0-9%+/]{40,}={0,2}))",
    ),
    _shape(
        "azure-client-secret",
        rb"[\w.~-]{3}[0-9]Q~",
        rb"[\w.~-]{31,34}",
        inner=rb"Q~[\w.~-]{8}",
    ),
    _shape(
        "azure-devops-token",
        rb"[A-Za-z0-9]{76}AZDO",
        rb"[A-Za-z0-9]{4}",
        inner=rb"AZDO[A-Za-z0-9]{4}",
    ),
    _within(
        "aws-signature",
        rb"X-(?:Amz|Goog)-(?:Signature|Security-Token)=[\w%]{16}",
        rb"X-(?:Amz|Goog)-(?:Signature|Security-Token)=(([\w%+/=-]{40,}))",
    ),
    _shape("aws-mws-token", rb"amzn\.mws\.", rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _shape("baidu-key", rb"bce-v3/ALTAK-", rb"[A-Za-z0-9]{12,}/[a-f0-9]{32,}"),
    _within(
        "softlayer-key",
        rb"api\.softlayer\.com",
        rb"api\.softlayer\.com\\?/(?:soap|rest)\\?/v3(?:\.[0-9])?\\?/(([a-f0-9]{64}))",
    ),
    _shape("alibaba-access-key", rb"LTAI", rb"[A-Za-z0-9]{12,24}", accepts=_has_digit, long=True),
    _shape("tencent-secret-id", rb"AKID", rb"[A-Za-z0-9]{32}", accepts=_has_digit, long=True),
    _shape("volcengine-access-key", rb"AKLT", rb"[\w-]{40,}", accepts=_has_digit, long=True),
    _shape("yandex-key", rb"(?:AQVN|YC)", rb"[\w-]{35,38}", accepts=_looks_drawn, long=True),
    _shape(
        "yandex-key", rb"t1\.", rb"[A-Z0-9a-z_-]{20,}={0,2}\.[A-Z0-9a-z_-]{80,}={0,2}", long=True
    ),
    _shape("digitalocean-token", rb"do[opr]_v1_", rb"[a-f0-9]{32,}"),
    _shape("heroku-key", rb"HRKU-", rb"[\w-]{30,}"),
    _shape("cloudflare-key", rb"v1\.0-", rb"[a-f0-9]{24}-[a-f0-9]{100,}"),
    _shape("cloudflare-key", rb"cf(?:ut|at|k)_", rb"[\w-]{40,}", long=True),
    _shape("vault-token", rb"hv[sbr]\.", rb"[\w-]{24,}"),
    _shape(
        "vault-token",
        rb"s\.",
        rb"[A-Za-z0-9]{24}",
        accepts=_looks_drawn,
        probe=rb"s\.[A-Za-z0-9]{24}",
    ),
    _shape(
        "terraform-token", rb"[A-Za-z0-9]{14}\.atlasv1\.", rb"[\w=-]{40,}", inner=rb"\.atlasv1\."
    ),
    _shape("pulumi-token", rb"pul-", rb"[a-f0-9]{40}"),
    _shape("fly-token", rb"fo1_", rb"[\w-]{40,}"),
    _shape("fly-token", rb"fm[12][ar]?_", rb"[A-Za-z0-9+/]{80,}={0,3}"),
    _shape("doppler-token", rb"dp\.(?:pt|st|ct|sa|scim|audit)\.", rb"[\w.-]{40,}"),
    _shape("planetscale-token", rb"pscale_(?:tkn|oauth|pw)_", rb"[\w.=-]{32,}"),
    _shape("supabase-key", rb"(?:sbp_|sb_secret_)", rb"[\w-]{20,}"),
    _shape("tailscale-key", rb"tskey-[a-z]+-", rb"[\w-]{16,}"),
    _shape("netlify-token", rb"nfp_", rb"[A-Za-z0-9]{36,}"),
    _shape("vercel-token", rb"vercel_blob_rw_", rb"[\w-]{20,}"),
    _shape("scalingo-token", rb"tk-us-", rb"[\w-]{48}"),
    _shape("render-key", rb"rnd_", rb"[A-Za-z0-9]{28,}", accepts=_has_digit, long=True),
    _shape("openshift-token", rb"sha256~", rb"[\w-]{43}"),
    _shape("docker-swarm-token", rb"SWMTKN-1-", rb"[a-z0-9]{40,}-[a-z0-9]{20,}"),
    _shape("nats-seed", rb"S[ACNOUPX]", rb"[A-Z2-7]{56}", probe=rb"S[ACNOUPX][A-Z2-7]{24}"),
    _shape("age-secret-key", rb"AGE-SECRET-KEY-1", rb"[0-9A-Z]{50,}"),
    _shape(
        "harness-token",
        rb"(?:pat|sat)\.",
        rb"[\w-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}",
        long=True,
    ),
    _shape("aiven-token", rb"AVNS_", rb"[\w-]{17,}", long=True),
    _shape(
        "launchdarkly-key",
        rb"(?:sdk|api)-",
        rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
        long=True,
    ),
    _shape("dynatrace-token", rb"dt0[a-z][0-9]{2}\.", rb"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _shape("new-relic-key", rb"NR(?:AK|AA|II|IQ|RA|JS|SP)-", rb"[\w-]{19,}"),
    _shape("grafana-token", rb"glsa_", rb"[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    _shape("grafana-token", rb"glc_", rb"[A-Za-z0-9+/]{32,}={0,3}", accepts=_has_digit),
    _shape("grafana-token", rb"eyJrIjoi", rb"[A-Za-z0-9]{60,}={0,3}"),
    _shape("sentry-token", rb"sntrys_", rb"[A-Za-z0-9+/=]{30,}(?:_[A-Za-z0-9+/]{40,})?"),
    _shape("sentry-token", rb"sntryu_", rb"[a-f0-9]{32,}"),
    _shape("databricks-token", rb"dapi", rb"[a-f0-9]{32}(?:-[0-9])?", long=True),
    _shape("onepassword-token", rb"ops_eyJ", rb"[A-Za-z0-9+/_-]{100,}={0,3}"),
    _shape(
        "onepassword-key",
        rb"A3-",
        rb"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
)

_CODE = (
    _shape("github-token", rb"gh[pousr]_", rb"[A-Za-z0-9]{30,}"),
    _shape("github-token", rb"github_pat_", rb"\w{22,}"),
    _shape(
        "gitlab-token",
        rb"gl(?:pat|dt|ft|soat|rt|rtr|imt|agent|oas|ptt|cbt|ffct|wt)-",
        rb"[\w.-]{20,}",
    ),
    _shape("gitlab-token", rb"GR1348941", rb"[\w-]{20,}"),
    _shape(
        "bitbucket-token",
        rb"(?:ATBB|BBDC-)",
        rb"[A-Za-z0-9_=+/-]{24,}",
        accepts=_has_digit,
        long=True,
    ),
    _shape("atlassian-token", rb"AT(?:ATT|CTT|STT)3", rb"[\w=-]{40,}"),
    _shape("npm-token", rb"npm_", rb"[A-Za-z0-9]{36,}"),
    _shape("pypi-token", rb"pypi-", rb"AgE[\w-]{40,}"),
    _shape("rubygems-token", rb"rubygems_", rb"[a-f0-9]{48}"),
    _shape("nuget-key", rb"oy2", rb"[a-z0-9]{43}", long=True),
    _shape("clojars-token", rb"CLOJARS_", rb"[A-Za-z0-9]{40,}"),
    _shape("cargo-token", rb"cio", rb"[A-Za-z0-9]{32}", accepts=_looks_drawn, long=True),
    _shape("docker-token", rb"dckr_[a-z]{3}_", rb"[\w-]{20,}"),
    _shape("artifactory-key", rb"AKC", rb"[A-Za-z0-9]{60,}", long=True),
    _shape(
        "artifactory-key", rb"(?:AKC|AP[0-9A-F])", rb"[A-Za-z0-9]{10,}", accepts=_mixes, long=True
    ),
    _shape("endor-token", rb"endr\+", rb"[\w-]{16,}"),
    _shape("packagist-token", rb"packagist_[a-z]{3}_", rb"[a-f0-9]{60,}"),
    _shape("neon-key", rb"napi_", rb"[a-z0-9]{40,}", accepts=_has_digit, long=True),
    _shape("posthog-key", rb"phx_", rb"[A-Za-z0-9]{40,}", long=True),
    _shape("asana-token", rb"[0-9]/[0-9]{16}:", rb"[0-9a-f]{32}", inner=rb"[0-9]{16}:[0-9a-f]{32}"),
    _shape("artifactory-key", rb"cmVmd", rb"[A-Za-z0-9]{55,}", long=True),
    _shape("circleci-token", rb"CCI(?:PAT|PRJ)_", rb"[\w]{30,}"),
    _shape("buildkite-token", rb"bk[a-z]{2}_", rb"[a-f0-9]{40}", long=True),
    _shape("sonar-token", rb"sq[upa]_", rb"[A-Za-z0-9]{40}", long=True),
    _shape("sourcegraph-token", rb"sgp_(?:[a-fA-F0-9]{16}_|local_)?", rb"[a-fA-F0-9]{40}"),
    _shape("postman-key", rb"PMAK-", rb"[a-f0-9]{24}-[a-f0-9]{34}"),
    _shape("readme-key", rb"rdme_", rb"[a-z0-9]{70}"),
    _shape("prefect-key", rb"pn[ub]_", rb"[A-Za-z0-9]{36}", long=True),
    _shape("octopus-key", rb"API-", rb"[A-Z0-9]{26}", accepts=_has_digit, long=True),
    _shape("infracost-key", rb"ico-", rb"[A-Za-z0-9]{32}", accepts=_looks_drawn, long=True),
    _shape("figma-token", rb"fig[dour]{1,2}_", rb"[\w-]{38,}", long=True),
    _shape("linear-key", rb"lin_(?:api|oauth)_", rb"[A-Za-z0-9]{32,}"),
    _shape("notion-token", rb"ntn_", rb"[A-Za-z0-9]{40,}"),
    _shape("notion-token", rb"secret_", rb"[A-Za-z0-9]{43}", accepts=_looks_drawn, long=True),
    _shape(
        "airtable-token",
        rb"pat[A-Za-z0-9]{14}\.",
        rb"[a-f0-9]{64}",
        probe=rb"pat[A-Za-z0-9]*\.[a-f0-9]{16}",
    ),
    _shape("wakatime-key", rb"waka_", rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _shape("dropbox-token", rb"sl\.(?:u\.)?", rb"[\w-]{100,}", long=True),
    _shape("defined-token", rb"dnkey-", rb"[\w=-]{26}-[\w=-]{52}"),
    _shape("clickhouse-key", rb"4b1d", rb"[A-Za-z0-9]{38}", accepts=_looks_drawn, long=True),
    _shape(
        "authress-key",
        rb"(?:sc|ext|scauth|authress)_",
        rb"[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,}",
        inner=rb"\.acc[_-][a-z0-9]",
    ),
    _within("gitlab-token", rb"_gitlab_session=", rb"_gitlab_session=(([0-9a-z]{32}))"),
    _shape("intra42-secret", rb"s-s4t2(?:ud|af)-", rb"[a-f0-9]{64}"),
    _shape("deno-token", rb"dd[po]_", rb"[A-Za-z0-9]{36}", long=True),
    _shape("frameio-token", rb"fio-u-", rb"[\w=-]{64}"),
    _shape("settlemint-token", rb"sm_(?:aat|pat|sat)_", rb"[A-Za-z0-9]{16}"),
    _shape("typeform-token", rb"tfp_", rb"[\w.=-]{44,}"),
    _shape("contentful-token", rb"CFPAT-", rb"[\w-]{43,}"),
    _shape("apify-token", rb"apify_api_", rb"[A-Za-z0-9]{36,}"),
    _shape("adobe-secret", rb"p8e-", rb"[A-Za-z0-9]{32}", accepts=_has_digit),
    _within(
        "vendor-id",
        rb"(?i:sumo\w*|messagebird\w*)(?i:access|client)[_-]?(?i:id)",
        rb"(?i:sumo(?:logic)?|messagebird)[\w.-]{0,12}(?i:access|client)[_-]?(?i:id)[\"'\\\s]{0,4}[:=]{1,2}[\"'\\\s]{0,4}"
        rb"((su[A-Za-z0-9]{12}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}))",
    ),
    _shape("mapbox-token", rb"[ps]k\.eyJ1", rb"[\w-]{30,}\.[\w-]{20,}"),
    _shape("maxmind-key", rb"[A-Za-z0-9]{6}_", rb"[A-Za-z0-9]{29}_mmk", inner=rb"_mmk"),
    _shape(
        "sidekiq-secret",
        rb"BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM[\"']?\s{0,3}[=:]\s{0,3}[\"']?",
        rb"[a-f0-9]{8}:[a-f0-9]{8}",
        inner=rb"__CONTRIBSYS__COM",
    ),
)

_CHAT = (
    _shape("slack-token", rb"xox[a-z]-", rb"(?:[0-9]+-)?[0-9]{6,}-[\w-]{10,}"),
    _shape("slack-token", rb"xoxe\.xox[bp]-[0-9]-", rb"[A-Za-z0-9]{60,}"),
    _shape("slack-token", rb"xoxe-[0-9]-", rb"[A-Za-z0-9]{60,}"),
    _shape("slack-token", rb"xapp-[0-9]-", rb"[A-Z0-9]+-[0-9]+-[a-z0-9]{20,}"),
    _shape("slack-token", rb"xox[cd]-", rb"[\w%+/-]{40,}"),
    _within(
        "webhook-url",
        rb"hooks\.slack\.com",
        rb"hooks\.slack\.com(?:\\?/)(?:services|workflows|triggers)(?:\\?/)(((?:[A-Za-z0-9+/_-]|\\/){30,}))",
    ),
    _within(
        "webhook-url",
        rb"discord(?:app)?\.com\\?/api",
        rb"discord(?:app)?\.com\\?/api(?:\\?/v[0-9]+)?\\?/webhooks\\?/(([0-9]{10,}\\?/[\w-]{30,}))",
    ),
    _within(
        "webhook-url",
        rb"webhook\.office\.com",
        rb"webhook\.office\.com\\?/webhookb2\\?/(((?:[\w@/-]|\\/){60,}))",
    ),
    _within(
        "webhook-url",
        rb"hooks\.zapier\.com|open\.(?:feishu\.cn|larksuite\.com)|chat\.googleapis\.com",
        rb"(?:hooks\.zapier\.com\\?/hooks\\?/catch\\?/|/bot\\?/v2\\?/hook\\?/)(((?:[\w/-]|\\/){12,}))",
    ),
    _within(
        "webhook-url",
        rb"(?:qyapi\.weixin|oapi\.dingtalk|chat\.googleapis)\.",
        rb"(?:webhook\\?/send\?key|robot\\?/send\?access_token|messages\?key)=(([\w%=&-]{16,}))",
    ),
    _shape(
        "discord-token",
        rb"[MNO][A-Za-z0-9]{22,26}\.[\w-]{6}\.",
        rb"[\w-]{27,40}",
        probe=rb"(?:M[Tjz]|N[DTjz]|O[DT])[A-Za-z0-9]{12}",
    ),
    _shape("telegram-token", rb"(?:bot)?[0-9]{8,10}:", rb"A[\w-]{34}", inner=rb":A[\w-]{20}"),
    _shape("sendgrid-key", rb"SG\.", rb"[\w-]{16,}\.{1,2}[\w-]{30,}"),
    _shape("mailgun-key", rb"(?:key|pubkey)-", rb"[0-9a-f]{32}", long=True),
    _shape(
        "mailgun-key",
        rb"[0-9a-f]{32}-[0-9a-f]{8}-",
        rb"[0-9a-f]{8}",
        inner=rb"-[0-9a-f]{8}-[0-9a-f]{8}",
    ),
    _shape("mailchimp-key", rb"[0-9a-f]{32}-", rb"us[0-9]{1,2}", inner=rb"-us[0-9]"),
    _shape("mandrill-key", rb"md-", rb"[\w-]{22}", accepts=_looks_drawn, long=True),
    _shape("firebase-key", rb"AAAA[\w-]{7}:", rb"[\w-]{130,}", inner=rb":APA91[\w-]{20}"),
    _shape(
        "twitter-token",
        rb"A{20,}[A-Za-z0-9]{4,}%",
        rb"[A-Za-z0-9%]{40,}",
        inner=rb"A{20}[A-Za-z0-9]{4,64}%",
    ),
    _shape("sendinblue-key", rb"x(?:keysib|smtpsib)-", rb"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _shape(
        "resend-key",
        rb"re_",
        rb"[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}",
        accepts=_looks_drawn,
        long=True,
    ),
    _shape("twilio-key", rb"(?:AC|SK)", rb"[0-9a-f]{32}", probe=rb"(?:AC|SK)[0-9a-f]{32}"),
    _shape("facebook-token", rb"EAA[A-Z]", rb"[A-Za-z0-9]{80,}", long=True),
    _shape("facebook-token", rb"[0-9]{15,16}\|", rb"[\w-]{27}", inner=rb"\|[A-Za-z0-9][\w-]{20}"),
)

_MONEY = (
    _shape("stripe-key", rb"(?:[sr]k|sk_org)_(?:live|test|prod)_", rb"[A-Za-z0-9]{10,}"),
    _shape("stripe-key", rb"whsec_", rb"[A-Za-z0-9+/]{20,}={0,2}"),
    _shape("square-token", rb"sq0[a-z]{3}-", rb"[\w-]{20,}"),
    _shape("square-token", rb"EAAAE", rb"[\w-]{55,60}", accepts=_looks_drawn, long=True),
    _shape("shopify-token", rb"shp(?:at|ca|pa|ss|tka)_", rb"[A-Fa-f0-9]{32}"),
    _shape(
        "plaid-token", rb"(?:access|public)-(?:sandbox|development|production)-", rb"[0-9a-f-]{36}"
    ),
    _shape("flutterwave-key", rb"FLW(?:PUBK|SECK)(?:_TEST)?-", rb"[a-z0-9]{12,32}(?:-X)?"),
    _shape("easypost-key", rb"EZ[AT]K", rb"[A-Za-z0-9]{54}", long=True),
    _shape("duffel-token", rb"duffel_(?:test|live)_", rb"[\w=-]{43}"),
    _shape("shippo-token", rb"shippo_(?:live|test)_", rb"[A-Fa-f0-9]{40}"),
    _shape(
        "lob-key",
        rb"(?:live|test)_(?:pub_)?",
        rb"[a-f0-9]{31,35}",
        accepts=_has_digit,
        probe=rb"(?:live|test)_(?:pub_)?[a-f0-9]{16}",
    ),
    _shape("gocardless-token", rb"live_", rb"[\w=-]{40}", accepts=_looks_drawn, long=True),
    _shape(
        "braintree-token",
        rb"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$",
        rb"[0-9a-f]{32}",
        probe=rb"access_token\$(?:production|sandbox)",
    ),
    _shape("razorpay-key", rb"rzp_(?:live|test)_", rb"[A-Za-z0-9]{14,}"),
    _shape(
        "hubspot-token", rb"pat-(?:na|eu|ap)[0-9]-", rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    ),
)

_MODELS = (
    _shape("anthropic-key", rb"sk-ant-[a-z0-9]{2,12}-", rb"[\w-]{20,}"),
    _shape("openai-key", rb"sk-(?:proj|svcacct|service|admin|None)-", rb"[\w-]{20,}"),
    _shape("openai-key", rb"sk-", rb"[A-Za-z0-9]{20,}", accepts=_has_digit, long=True),
    _shape(
        "model-key",
        rb"sk-(?:or-v1|lf|helicone|kimi|litellm|test|live)-",
        rb"[\w-]{16,}",
        accepts=_has_digit,
    ),
    _shape("model-key", rb"sk-", rb"[\w-]{20,}", accepts=_ends_drawn, long=True),
    _shape("model-key", rb"sk_", rb"[a-f0-9]{48}", accepts=_has_digit, long=True),
    _shape("huggingface-token", rb"hf_", rb"[A-Za-z0-9]{34}", long=True),
    _shape("huggingface-token", rb"api_org_", rb"[A-Za-z0-9]{34}", long=True),
    _shape("groq-key", rb"gsk_", rb"[A-Za-z0-9]{40,}"),
    _shape("xai-key", rb"xai-", rb"[A-Za-z0-9]{60,}"),
    _shape("replicate-token", rb"r8_", rb"[A-Za-z0-9]{30,}", long=True),
    _shape("perplexity-key", rb"pplx-", rb"[A-Za-z0-9]{40,}"),
    _shape("nvidia-key", rb"nvapi-", rb"[\w-]{50,}"),
    _shape("langsmith-key", rb"(?:lsv2_(?:pt|sk)|ls_)_", rb"[A-Fa-f0-9]{32}(?:_[A-Fa-f0-9]{10})?"),
    _shape("zhipu-key", rb"[0-9a-f]{32}\.", rb"[A-Za-z0-9]{16}", accepts=_looks_drawn),
    _shape("runpod-key", rb"rpa_", rb"[A-Z0-9]{40,}", accepts=_has_digit, long=True),
    _shape("anyscale-key", rb"esecret_", rb"[a-z0-9]{24,}", accepts=_has_digit, long=True),
    _shape("kaggle-token", rb"KGAT_", rb"[0-9a-f]{32}"),
    _shape("pinecone-key", rb"pcsk_", rb"\w{40,}"),
    _shape("model-key", rb"tvly-(?:dev-|prod-)?", rb"[A-Za-z0-9]{20,}", accepts=_has_digit),
    _shape(
        "model-key",
        rb"(?:fw_|csk-|jina_|e2b_|fc-|BSA|pa-|tgp_v1_)",
        rb"[A-Za-z0-9_-]{24,}",
        accepts=_looks_drawn,
        long=True,
    ),
    _shape("model-key", rb"(?:fc-|e2b_)", rb"[0-9a-f]{32,40}", accepts=_has_digit, long=True),
)


def _is_json_header(token: bytes) -> bool:
    """Whether the first part of a JSON Web Token decodes to an object's head, and others follow."""
    parts = token.split(b".")
    try:
        head = binascii.a2b_base64(parts[0][:8].replace(b"-", b"+").replace(b"_", b"/"))
    except binascii.Error:
        return False
    return head.startswith(b"{") and (len(parts) > 2 or parts[1].startswith(b"ey"))  # noqa: PLR2004 - a signature


_KEYS = (
    _shape("recense-key", rb"rcl_[a-z0-9]{16}_", rb"[a-z0-9]{40,}", accepts=_as_it_is),
    _shape(
        "jwt",
        rb"",
        rb"ey[JAI][\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*){0,3}",
        accepts=_is_json_header,
        probe=rb"ey[JAI][\w-]{10}",
    ),
    _shape(
        "encoded-private-key",
        rb"LS0tLS1CRUdJTiB(?:SU0EgUFJJVkFURS|QUklWQVRFI|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZBVE|EU0EgUFJJVkFURS|FTkNSWVBUR)",
        rb"[A-Za-z0-9+/=]{20,}",
    ),
    _shape("jwt", rb"ZXlK(?:aGJHY2lPaU|MGVYQWlPaU|cmFXUWlPaU|NE5YUWlPaU)", rb"[\w+/=-]{40,}"),
)

SHAPES: Final[tuple[Shape, ...]] = _CLOUD + _CODE + _CHAT + _MONEY + _MODELS + _KEYS
"""Every row, in the order in which a row names a span that several of them claim."""


class ShapeFamily(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of `SHAPES`, by index, and one pattern that fires wherever the probe of any of them
    does.
    """

    probe: bytes
    members: tuple[int, ...]


def _ending_of(shape: Shape) -> bytes | None:
    """What the probe of a row ends with, where many end alike; None where it is not prefixed."""
    if not shape.prefixed:
        return None
    return next(filter(shape.probe.endswith, (_LONG, _SHORT)), b"")


def _family(ending: bytes | None) -> ShapeFamily:
    members = tuple(index for index, shape in enumerate(SHAPES) if _ending_of(shape) == ending)
    probes = rb"|".join(SHAPES[index].probe.removesuffix(ending or b"") for index in members)
    probe = probes if ending is None else APART + rb"(?:" + probes + rb")" + ending
    return ShapeFamily(probe=probe, members=members)


SHAPE_FAMILIES: Final[tuple[ShapeFamily, ...]] = tuple(map(_family, (_LONG, _SHORT, b"", None)))
"""The rows by what their probes end with: each is in one family.

One automaton for a family, with its ending written once, is built ten times faster than one for
each row, and a text that fires it builds those of this family alone.
"""
