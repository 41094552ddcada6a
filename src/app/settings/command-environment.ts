import type { Environment } from '../../config/env.ts'

/** BASH-05: names that look like a credential never reach a command, whatever the operator's list says. */
const credential =
  /(_TOKEN|_SECRET|_KEY|_KEY_ID|_PAT|_AUTH)S?$|^(TOKEN|SECRET|AUTH)|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|_DSN$|DATABASE_URL|REDIS_URL|MONGO.*_UR[IL]|^(AWS|AZURE|GCP|GOOGLE|GCLOUD|CLOUDSDK|DIGITALOCEAN|HEROKU|COUNTERSIGN|TELEGRAM|SLACK|ANTHROPIC|OPENAI|SSH|GPG|PG)_?/i

/** Returns the environment variables that commands receive, by the operator's list of names; `*` stands for any text. */
export function commandEnvironment(
  names: readonly string[],
  environment: Environment,
): Readonly<Record<string, string>> {
  const passed = environment
    .names()
    .filter((name) => !credential.test(name) && names.some((pattern) => fits(pattern, name)))
    .map((name) => [name, environment.get(name) ?? ''] as const)
  const { lang, tz } = environment
  return {
    ...(lang === undefined ? {} : { LANG: lang }),
    ...(tz === undefined ? {} : { TZ: tz }),
    ...Object.fromEntries(passed),
  }
}

function fits(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^A-Za-z0-9_]/g, '\\$&'))
  return new RegExp(`^${parts.join('[A-Za-z0-9_]*')}$`).test(name)
}
