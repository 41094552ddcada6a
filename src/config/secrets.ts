import { inspect } from 'node:util'
import { percentDecoded } from '../util/text/percent-decoded.ts'
import { secretsOfOtlpHeaders } from './otlp-headers.ts'

/** A value that must not be seen by accident: printing, logging or serialising it gives `[secret]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself; for the one place that hands it to the outside world. */
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

/** What the outside world gave us to keep. A process holds only those that its own environment names. */
export interface Secrets {
  readonly telegramBotToken?: Secret
  readonly slackBotToken?: Secret
  readonly slackAppToken?: Secret
  readonly slackSigningSecret?: Secret
  readonly anthropicApiKey?: Secret
  readonly openaiApiKey?: Secret
  /** What agents derive the token of every worker's name from. */
  readonly enrolmentSecret?: Secret
  /** Proves that a worker process may enrol under its name. */
  readonly workerToken?: Secret
  /** What traces are sent with; `parseOtlpHeaders` reads it. */
  readonly otlpHeaders?: Secret
  /** Variables that `[mcp.<server>]` sections name, by variable; those that are set here. */
  readonly mcp: Readonly<Record<string, Secret>>
}

/** Shorter values would redact ordinary words. */
const shortestKnown = 8

/** Every secret that this process holds and that is at least 8 characters long, for redaction; longest first. */
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

/** A URL's password as written and as meant. */
function passwordsOf(url: string): string[] {
  const written = URL.canParse(url) ? new URL(url).password : ''
  return written === '' ? [] : [written, percentDecoded(written)]
}
