import { headOf, wideHeads } from './wide-command.ts'

/** SHELL-08: the number of words that identify a command, without its arguments. */
const arities: ReadonlyMap<string, number> = new Map([
  ...entries(1, [
    'cat ls grep egrep fgrep rg fd cp mv mkdir chmod echo printf which type tail head touch pwd wc whoami date uname',
    'printenv cd find sed awk gawk mawk sort uniq cut tr tee diff cmp comm curl wget tar zip unzip gzip gunzip scp',
    'rsync tree stat file du df ps id hostname basename dirname realpath readlink sleep seq test true false jq yq',
    'column nl paste fold rev tac xxd od hexdump strings sha256sum sha1sum md5sum cksum b2sum ln tsc eslint',
    'prettier biome jest vitest pytest mypy ruff black rustc gcc clang cmake ninja javac java env xargs ssh dd shutdown reboot mkfs sh bash zsh',
    'md5 shasum expand unexpand fmt join split csplit comm factor numfmt tsort nproc arch tty logname users groups uptime',
    'free lsblk lscpu lsof pgrep pstree top vmstat iostat locate bc cal more less man apropos whatis zcat zgrep bzip2 xz',
    'zstd unxz bunzip2 dig nslookup host ping whois ifconfig netstat ss mktemp install patch iconv dos2unix rename',
    'stylelint tsx mocha ava nyc c8 rollup esbuild webpack vite swc babel oxlint flake8 pylint isort pyright pyflakes bandit',
    'rubocop rspec phpunit phpstan golangci-lint gofmt goimports rustfmt shellcheck shfmt hadolint yamllint markdownlint cc',
    'g++ clang++ cpp ld ar nm objdump readelf strip ctest meson pandoc protoc kubectx kubens k9s psql mysql sqlite3 redis-cli',
  ]),
  ...entries(2, [
    'git npm bun docker podman cargo kubectl pip pip3 pnpm yarn terraform systemctl bunx npx go deno uv poetry gem',
    'bundle composer dotnet gradle mvn brew apt apt-get dnf yum apk helm flux heroku fly flyctl vercel rustup nvm conda',
    'make gmake just task deno nerdctl podman-compose docker-compose minikube kind skaffold pulumi vault consul nomad packer',
    'vagrant supabase netlify wrangler firebase serverless sam cdk eksctl argocd istioctl linkerd kustomize hugo jekyll',
    'pipenv pdm rye pixi mamba micromamba pyenv rbenv asdf mise volta fnm sdk cabal stack opam dune lein sbt swift zig flutter',
    'dart xcodebuild pod fastlane apt-cache apt-mark dpkg rpm pacman zypper snap flatpak port choco scoop winget loginctl',
    'hostnamectl timedatectl resolvectl networkctl ip nmcli ufw openssl gpg svn hg jj bzr prisma knex ng vue next nuxt astro',
    'expo playwright cypress storybook changeset semantic-release husky lint-staged nodenv symfony artisan phpenv mysqladmin',
    'mix rails rake hatch pipx journalctl service nix tox turbo nx lerna',
  ]),
  ...entries(3, ['aws gcloud gh az doctl glab oci ibmcloud linode-cli scw']),
])

/** The prefix of commands in `wideHeads` without their last word: `docker system` for `docker system df`. */
const groups: ReadonlySet<string> = new Set(
  [...wideHeads.keys()].map((head) => head.split(' ').slice(0, -1).join(' ')),
)

/** The number of words, 1 to 4; undefined for a program not in the tables. */
export function arityOf(words: readonly string[]): number | undefined {
  const listed = headOf(words)?.length
  if (listed !== undefined) return listed
  const group = [3, 2].find((length) => groups.has(words.slice(0, length).join(' ')))
  return group === undefined ? arities.get(words[0] ?? '') : group + 1
}

function entries(arity: number, lines: readonly string[]): [string, number][] {
  return lines.flatMap((line) => line.split(' ').map((name): [string, number] => [name, arity]))
}

/** All programs in the tables. */
export const knownPrograms: ReadonlySet<string> = new Set(arities.keys())
