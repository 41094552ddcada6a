import type { Surroundings } from '../call.ts'
import { quickFailures } from './network-note.ts'

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
