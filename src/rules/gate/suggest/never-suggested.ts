import { baseName, isSystemProgram } from '../shell/programs/program-name.ts'
import { changesShell, destructive, isInterpreter, wrappers } from '../shell/programs/programs.ts'

/**
 * APPR-21: whether a command belongs to a class for which no rule is proposed, however often it was approved: it destroys, runs
 * code or other programs, or may change something outside this machine. Errs towards yes, since a person can still write the
 * rule.
 */
export function isNeverSuggested(words: readonly string[]): boolean {
  const [program = '', ...rest] = words
  const name = baseName(program)
  // A workspace file holds whatever was last written to it.
  if (!isSystemProgram(program)) return true
  if (isInterpreter(name.toLowerCase()) || runs.has(name) || reachesOut.has(name)) return true
  if ([wrappers, destructive, changesShell, moves].some((names) => names.has(name))) return true
  const said = rest.slice(0, 3).flatMap((word) => word.toLowerCase().split(/[^a-z]+/))
  return said.some((word) => verbs.has(word)) || rest.some((word) => forces.test(word))
}

/** Programs that run code of others, or code they are given. */
const runs = names(
  'npx pnpx bunx uv poetry pipx bundle nix conda make rake rails gradle mvn ansible',
)

/** Programs that can change data on other machines. */
const reachesOut = names(
  'curl wget scp sftp rsync ftp nc ncat socat telnet gh glab az aws gcloud gsutil kubectl helm terraform',
  'tofu pulumi heroku fly vercel netlify flux doctl rclone s3cmd mail sendmail psql mysql mariadb sqlite3',
  'duckdb mongo mongosh redis-cli twine http https xh rustup systemctl service crontab',
)

/** Programs that overwrite or remove existing files. */
const moves = names('mv cp ln chmod chgrp tee install split patch umount mount')

/** Words that, as part of a subcommand, destroy, publish or run. */
const verbs = names(
  'rm rmi del delete destroy remove uninstall unpublish unlink prune purge drop kill stop down reset clean',
  'clear wipe erase truncate format push publish deploy upload release apply force login logout adduser',
  'restore revert rebase checkout switch merge gc expire filter exec x dlx run-script deinit migrate rollback',
  'shutdown reboot send edit set create install add-user passwd sync mirror update upgrade',
)

const forces =
  /^(?:--(?:force|hard|delete|prune|remove|purge|no-verify|yes|fix|write|in-place|amend)(?:$|[-=])|-(?:f|rf|fr|D|y|i)$)/

function names(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}

/**
 * Whether a wildcard pattern may be proposed for several approved commands: those whose every form reads, builds or tests.
 * Options that write or run ask anyway (SHELL-04).
 */
export function mayBeWide(pattern: string): boolean {
  const head = pattern.replace(/ \*$/, '')
  return head !== pattern && (looking.has(head) || /^(?:npm|pnpm|yarn|bun) run [\w:-]+$/.test(head))
}

const looking: ReadonlySet<string> = new Set([
  ...'status log diff show blame add commit rev-parse ls-files shortlog describe'
    .split(' ')
    .map((word) => `git ${word}`),
  ...'ls cat head tail wc grep rg tree stat file du df ps echo printf which date uname sort uniq cut tr jq'.split(
    ' ',
  ),
  ...'diff cmp comm tsc eslint vitest jest pytest mypy ruff'.split(' '),
  ...[
    'npm test',
    'npm ls',
    'npm outdated',
    'pnpm test',
    'yarn test',
    'bun test',
    'go test',
    'go vet',
  ],
  ...['go build', 'cargo test', 'cargo build', 'cargo check', 'cargo clippy'],
])
