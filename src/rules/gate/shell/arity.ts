/** SHELL-08: how many words make up a command, beside its arguments. */
const arities: ReadonlyMap<string, number> = new Map([
  ...entries(1, [
    'cat ls grep egrep fgrep rg fd cp mv mkdir chmod echo printf which type tail head touch pwd wc whoami date uname',
    'printenv cd find sed awk gawk mawk sort uniq cut tr tee diff cmp comm curl wget tar zip unzip gzip gunzip scp',
    'rsync tree stat file du df ps id hostname basename dirname realpath readlink sleep seq test true false jq yq',
    'column nl paste fold rev tac xxd od hexdump strings sha256sum sha1sum md5sum cksum b2sum ln make tsc eslint',
    'prettier biome jest vitest pytest mypy ruff black rustc gcc clang cmake ninja javac java',
  ]),
  ...entries(2, [
    'git npm bun docker podman cargo kubectl pip pip3 pnpm yarn terraform systemctl bunx npx go deno uv poetry gem',
    'bundle composer dotnet gradle mvn brew apt apt-get dnf yum apk helm flux heroku fly vercel rustup nvm conda',
    'mix rails rake hatch pipx journalctl service nix tox turbo nx lerna',
  ]),
  ...entries(3, ['aws gcloud gh az doctl']),
])

const longer: ReadonlyMap<string, number> = new Map([
  ...pairs(
    3,
    'npm run,bun run,pnpm run,yarn run,npm exec,pnpm exec,yarn workspace,docker compose,docker container,docker image',
  ),
  ...pairs(
    3,
    'docker network,docker volume,podman compose,git remote,git stash,git worktree,git submodule,git bisect,git notes',
  ),
  ...pairs(3, 'git lfs,kubectl rollout,kubectl config,kubectl auth,cargo nextest,terraform state'),
  ...pairs(
    3,
    'terraform workspace,go mod,go tool,pip cache,uv pip,uv tool,poetry env,bundle exec,helm repo,rustup toolchain',
  ),
])

/** The number of words, 1 to 3, or undefined for a program that the tables do not know. */
export function arityOf(words: readonly string[]): number | undefined {
  return longer.get(`${words[0]} ${words[1]}`) ?? arities.get(words[0] ?? '')
}

function entries(arity: number, lines: readonly string[]): [string, number][] {
  return lines.flatMap((line) => line.split(' ').map((name): [string, number] => [name, arity]))
}

function pairs(arity: number, names: string): [string, number][] {
  return names.split(',').map((name) => [name, arity])
}
