"""Names that decide what a preference is of, and what counts as a technology: closed tables.

Law: a name stands here if, written as it is, it can hardly mean anything else. Names that are also
everyday words (Go, Make, Swift) count with a capital letter only.
"""

from typing import Final

from recense.core.late_patterns import late_pattern


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip().casefold() for name in text.replace("\n", "|").split("|"))


EDITORS: Final = _names(
    """vim|neovim|nvim|gvim|macvim|lazyvim|emacs|doom emacs|spacemacs|vs code|vscode|
    visual studio code|visual studio|vscodium|sublime|sublime text|nano|helix|zed|kakoune|micro|
    intellij|intellij idea|pycharm|webstorm|goland|clion|rider|rubymine|phpstorm|rustrover|
    android studio|xcode|eclipse|notepad++|textmate|bbedit|cursor|windsurf|fleet|atom|kate|gedit|
    geany|rstudio|netbeans"""
)
LANGUAGES: Final = _names(
    """python|javascript|typescript|rust|go|golang|java|kotlin|c|c++|c#|f#|ruby|php|perl|swift|
    scala|haskell|ocaml|elixir|erlang|clojure|common lisp|scheme|racket|lua|julia|r|zig|nim|dart|
    objective-c|fortran|cobol|bash|powershell|sql|elm|purescript|gleam|crystal|groovy|solidity|
    plain javascript|modern c++|typescript strict mode"""
)
TEST_FRAMEWORKS: Final = _names(
    """pytest|unittest|nose2|jest|vitest|mocha|jasmine|ava|cypress|playwright|selenium|junit|
    junit 5|junit5|testng|spock|kotest|rspec|minitest|phpunit|pest|xunit|nunit|mstest|googletest|
    gtest|catch2|doctest|go test|testify|ginkgo|nextest|cargo nextest|cargo test|hspec|
    hypothesis|exunit|bats|robot framework|testing library|node:test"""
)
PACKAGE_MANAGERS: Final = _names(
    """npm|yarn|pnpm|bun|pip|pipx|pipenv|poetry|uv|conda|mamba|micromamba|pixi|pdm|rye|hatch|cargo|
    homebrew|brew|apt|dnf|pacman|nix|chocolatey|scoop|winget|maven|gradle|composer|bundler|nuget|
    vcpkg|conan|cocoapods|deno|mise|asdf"""
)
TARGETS: Final = _names(
    """aws|aws lambda|aws ecs|aws fargate|lambda|ecs|fargate|ec2|gcp|google cloud|google cloud run|
    cloud run|app engine|gke|eks|aks|azure|azure app service|azure functions|heroku|fly|fly.io|
    vercel|netlify|render|railway|cloudflare|cloudflare workers|cloudflare pages|github pages|
    gitlab pages|digitalocean|digital ocean|hetzner|hetzner cloud|linode|ovh|scaleway|kubernetes|
    k8s|k3s|openshift|nomad|docker swarm|firebase|firebase hosting|elastic beanstalk|
    app store|google play|raspberry pi|a raspberry pi|on-prem|bare metal|dokku|coolify|kamal|
    阿里云|腾讯云|华为云|百度云|火山引擎|亚马逊云"""
)
_OTHERS: Final = _names(
    """postgres|postgresql|mysql|mariadb|sqlite|duckdb|mongodb|redis|valkey|memcached|cassandra|
    dynamodb|elasticsearch|opensearch|clickhouse|snowflake|bigquery|cockroachdb|neo4j|supabase|
    kafka|apache kafka|rabbitmq|nats|celery|sidekiq|airflow|dagster|temporal|
    react|react native|next.js|nextjs|vue|vue.js|nuxt|svelte|sveltekit|angular|solid.js|solidjs|
    remix|astro|htmx|jquery|tailwind|tailwind css|tailwindcss|bootstrap|redux|zustand|mobx|vite|
    webpack|rollup|esbuild|turbopack|turborepo|nx|babel|eslint|prettier|biome|storybook|
    django|flask|fastapi|starlette|pydantic|msgspec|sqlalchemy|alembic|pandas|polars|numpy|pytorch|
    tensorflow|jax|scikit-learn|jupyter|ruff|black|mypy|pyright|pre-commit|tox|nox|
    rails|ruby on rails|sinatra|laravel|symfony|spring|spring boot|quarkus|micronaut|hibernate|
    express|express.js|fastify|nestjs|koa|hono|node|node.js|nodejs|prisma|drizzle|typeorm|
    sequelize|graphql|apollo|grpc|protobuf|trpc|openapi|rest|phoenix|tokio|axum|actix|
    docker|docker compose|podman|terraform|opentofu|pulumi|ansible|helm|argo cd|argocd|vagrant|
    jenkins|github actions|gitlab ci|circleci|buildkite|bazel|cmake|ninja|meson|
    git|github|gitlab|bitbucket|jira|linear|slack|notion|confluence|trello|asana|discord|
    grafana|prometheus|datadog|sentry|opentelemetry|nginx|caddy|traefik|haproxy|envoy|istio|
    linux|ubuntu|debian|fedora|arch linux|nixos|macos|windows|wsl|wsl2|freebsd|alpine|
    stripe|twilio|auth0|keycloak|okta|figma|unity|unreal engine|godot|flutter|electron|tauri|
    zsh|fish|tmux|alembic|liquibase|flyway|minio|s3|trunk-based development|conventional commits"""
)
TECHNOLOGIES: Final = EDITORS | LANGUAGES | TEST_FRAMEWORKS | PACKAGE_MANAGERS | TARGETS | _OTHERS

_WORDS: Final = _names(
    """go|swift|rust|dart|crystal|elm|scheme|racket|julia|r|c|micro|zed|atom|fleet|rider|kate|
    cursor|eclipse|helix|ava|pest|mocha|jasmine|spock|bun|yarn|brew|composer|poetry|hatch|rye|conan|
    pip|apt|nix|render|railway|fly|lambda|linear|slack|notion|express|phoenix|spring|helm|black|
    rails|remix|astro|windows|fish|rest|sentry|temporal|discord|nomad|envoy|ninja|unity|ginkgo|
    testify|minitest|bats|hypothesis|scoop|babel|ruby|perl|sublime|apollo|bootstrap|react|nose2|
    selenium|cypress|playwright|hibernate|airflow|symfony|windsurf|node|sinatra|fastify|vagrant|
    nuget|stripe|caddy|pandas"""
)
_FINE_SMALL: Final = _names(
    "rust|pip|apt|nix|brew|yarn|bun|poetry|react|pandas|ruby|perl|node|composer|hatch|rails|helm"
)
"""Of these the everyday meaning is not what a person files by a table's own question."""

_VERSION: Final = late_pattern(r"[ ]?v?\d[\d.]{0,10}(?:[ ]?(?:LTS|\+))?\Z")


def is_named(value: str, table: frozenset[str]) -> bool:
    """Whether a value is of a table, but for a version after it."""
    bare = value
    if (found := _VERSION.search(value)) is not None and value.casefold() not in table:
        bare = value[: found.start()]
    folded = bare.casefold()
    if folded not in table:
        return False
    return folded not in _WORDS or folded in _FINE_SMALL or not bare.islower()
