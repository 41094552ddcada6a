import type { Surroundings } from '../call.ts'
import { quickFailures } from './network-note.ts'

/** Names that look like credentials or could carry one (BASH-05). */
const credential =
  /TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIAL|(^|_)(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)_?KEY|_KEY(_|$)|(^|_)(AUTH|COOKIE|DSN|PAT|PWD)$|(DATABASE|DB|REDIS|POSTGRES|PG|MONGO|MYSQL|AMQP|BROKER)\w*_(URL|URI)$|^(AWS|AZURE|GCP|GCLOUD|GOOGLE|CLOUDSDK|DIGITALOCEAN|HEROKU|FLY|VERCEL|CLOUDFLARE|OPENAI|ANTHROPIC|PG|REDIS|TELEGRAM|SLACK|COUNTERSIGN)_?|^PG[A-Z]+$|^SSH_AUTH_SOCK$/i
/** `scheme://user:password@host`. */
const credentialUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:[^/\s@]+@/i

/** The variable under which a command and all it starts carry this call. */
export const callMarker = 'COUNTERSIGN_CALL'

/**
 * BASH-05: a command's whole environment. Nothing is taken over from the executor but `PATH`, `LANG` and `TZ`; of
 * `extra` what looks like a credential is dropped, whoever named it.
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

/** BASH-12: where commands and `diagnostics` find programs: in the operator's toolchains first. */
export function commandPath(
  surroundings: Pick<Surroundings, 'path'>,
  extra: Readonly<Record<string, string>>,
): string {
  const { PATH } = extra
  return PATH === undefined || PATH === '' ? surroundings.path : `${PATH}:${surroundings.path}`
}

/** `GIT_CONFIG_COUNT` and its pairs win over every file of settings (git-config(1), section Environment). */
const ownGitSettings = settingsOf({
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'credential.helper': '',
  'protocol.ext.allow': 'never',
})

/**
 * SHELL-11: git in a box ignores what the workspace's own settings would have it run, so that an allowed `git status` runs
 * nothing else. Drivers of diffs and filters, which have names of their own, are beyond this.
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
