import { inspect } from 'node:util'
import { percentDecoded } from '../util/text/percent-decoded.ts'
import { secretsOfOtlpHeaders } from './otlp-headers.ts'

/** A value that cannot leak by accident: printing, logging or serialising it gives `[secret]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The plain value; only for the place that passes it on. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}

/** Secrets from the environment. A process holds only those its own environment names. */
export interface Secrets {
  readonly telegramBotToken?: Secret
  readonly slackBotToken?: Secret
  readonly slackAppToken?: Secret
  readonly slackSigningSecret?: Secret
  readonly anthropicApiKey?: Secret
  readonly openaiApiKey?: Secret
  /** Agents derive every worker's token from it. */
  readonly enrolmentSecret?: Secret
  /** Proves that a worker process may enrol under its name. */
  readonly workerToken?: Secret
  /** Headers for trace export; parsed by `parseOtlpHeaders`. */
  readonly otlpHeaders?: Secret
  /** The variables named in `[mcp.<server>]` sections that are set, by name. */
  readonly mcp: Readonly<Record<string, Secret>>
}

/** Redacting shorter values would hide ordinary words. */
const shortestKnown = 8

/** All secrets of this process with at least 8 characters, for redaction; longest first. */
export function knownSecrets(held: {
  readonly secrets: Secrets
  readonly databaseUrl?: Secret
  readonly appDatabaseUrl?: Secret
  readonly redisUrl?: Secret
}): readonly string[] {
  const { mcp, otlpHeaders, ...own } = held.secrets
  const { databaseUrl, appDatabaseUrl, redisUrl } = held
  const urls = [databaseUrl, appDatabaseUrl, redisUrl].flatMap((url) => url?.reveal() ?? [])
  const values = [...Object.values(own), ...Object.values(mcp)].map((secret) => secret.reveal())
  const headers = secretsOfOtlpHeaders(otlpHeaders?.reveal() ?? '')
  const all = new Set([...values, ...headers, ...urls, ...urls.flatMap(passwordsOf)])
  return [...all]
    .filter((value) => value.length >= shortestKnown)
    .sort((a, b) => b.length - a.length)
}

/** A URL's password, as written and decoded. */
function passwordsOf(url: string): string[] {
  const written = URL.canParse(url) ? new URL(url).password : ''
  return written === '' ? [] : [written, percentDecoded(written)]
}
