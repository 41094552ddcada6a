import type { Surroundings } from '../call.ts'

/** BASH-11: hint for the model when commands have no network. */
const note =
  '[Commands have no network in this box. An operator can give them one: [tools.shell] allow_network; `countersign doctor` says how.]'

/** Error messages of programs without a network. */
const withoutNetwork =
  /could(?: not|n't) resolve (?:host|proxy)|\(from versions: none\)|failed to establish a new connection|\bdns error\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b|\bENOTCACHED\b|temporary failure (?:in name resolution|resolving)|name or service not known|network is unreachable|no such host|nodename nor servname|failed to (?:lookup address|connect|resolve)|couldn't connect to server|unable to resolve host|unknown host|name resolution|lookup .{1,200} on .{1,100}: (?:dial|read)|no route to host/i

/** Characters at the end of an output that are searched. */
const mostRead = 20_000

/** Settings without which programs retry for a minute. Variables set by the operator override them. */
const quickFailures: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
  YARN_HTTP_RETRY: '0',
  PIP_RETRIES: '0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_HTTP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
  BUNDLE_RETRY: '0',
}

/** Variable names that look like credentials (BASH-05). */
const credential =
  /TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIAL|(^|_)(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)_?KEY|_KEY(_|$)|(^|_)(AUTH|COOKIE|DSN|PAT|PWD)$|(DATABASE|DB|REDIS|POSTGRES|PG|MONGO|MYSQL|AMQP|BROKER)\w*_(URL|URI)$|^(AWS|AZURE|GCP|GCLOUD|GOOGLE|CLOUDSDK|DIGITALOCEAN|HEROKU|FLY|VERCEL|CLOUDFLARE|OPENAI|ANTHROPIC|PG|REDIS|TELEGRAM|SLACK|COUNTERSIGN)_?|^PG[A-Z]+$|^SSH_AUTH_SOCK$/i

/** URL with a password: `scheme://user:password@host`. */
const credentialUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:[^/\s@]+@/i

/** Variable that marks a command and its descendants with this call. */
export const callMarker = 'COUNTERSIGN_CALL'

/**
 * BASH-05: builds the complete environment of a command. Only `PATH`, `LANG` and `TZ` come from the executor; entries of
 * `extra` that look like credentials are dropped.
 */
export function createChildEnvironment(
  surroundings: Surroundings,
  workspace: string,
  call: string,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const named = Object.entries(extra).filter(
    ([name, value]) => name !== 'PATH' && isPassable(name, value),
  )
  return {
    PATH: commandPath(surroundings, extra),
    LANG: surroundings.lang,
    ...(surroundings.timeZone === undefined ? {} : { TZ: surroundings.timeZone }),
    ...ownGitSettings,
    ...(surroundings.hasNetwork ? {} : quickFailures),
    ...Object.fromEntries(named),
    HOME: workspace,
    TERM: 'dumb',
    COUNTERSIGN_BOX: surroundings.boxKey,
    [callMarker]: `${surroundings.executorId}:${call}`,
  }
}

/** BASH-12: returns the search path of commands and `diagnostics`, with the operator's toolchains first. */
export function commandPath(
  surroundings: Pick<Surroundings, 'path'>,
  extra: Readonly<Record<string, string>>,
): string {
  const { PATH } = extra
  return PATH === undefined || PATH === '' ? surroundings.path : `${PATH}:${surroundings.path}`
}

/** `GIT_CONFIG_COUNT` and its pairs override every settings file (git-config(1), section Environment). */
const ownGitSettings = settingsOf({
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'credential.helper': '',
  'protocol.ext.allow': 'never',
})

/**
 * SHELL-11: makes git ignore programs configured in the workspace, so that an allowed `git status` runs nothing else.
 * Diff drivers and filters have arbitrary names and are not covered.
 */
function settingsOf(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(settings)
  const pairs = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return Object.fromEntries([['GIT_CONFIG_COUNT', String(entries.length)], ...pairs])
}

function isPassable(name: string, value: string): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) || value.includes('\0')) return false
  return !credential.test(name) && !credentialUrl.test(value)
}

/** Returns the hint if a command that failed or timed out may have needed the missing network. */
export function networkNote(
  hasNetwork: boolean,
  { failed, timedOut }: { readonly failed: boolean; readonly timedOut: boolean },
  output: string,
): string | undefined {
  if (hasNetwork) return undefined
  if (timedOut) return note
  return failed && withoutNetwork.test(output.slice(-mostRead)) ? note : undefined
}
