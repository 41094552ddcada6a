import type { Settings } from './schema/schema.ts'
import type { ProviderName } from './schema/schema-model.ts'
import type { Secret, Secrets } from './secrets.ts'
import type { Loaded } from './to-loaded.ts'

type LoadedSettings = Loaded<Settings>

/** The model settings with missing values derived from the environment. */
export type ResolvedModel = LoadedSettings['model'] & {
  readonly provider: ProviderName
  readonly name: string
}

/** One of the additional models, with its name resolved. */
export type NamedModel = LoadedSettings['models'][string] & { readonly name: string }

/** Addresses of other servers, as configured. */
export interface Endpoints {
  readonly telegramApiRoot?: string
  readonly slackApiUrl?: string
  readonly anthropicBaseUrl?: string
  readonly openaiBaseUrl?: string
  readonly ollamaBaseUrl?: string
}

/** The complete configuration of a process: frozen, durations in milliseconds. */
export interface Config extends LoadedSettings {
  readonly model: ResolvedModel
  readonly models: Readonly<Record<string, NamedModel>>
  readonly slack: LoadedSettings['slack'] & { readonly mode: 'socket' | 'http' }
  /** Absolute. */
  readonly dataDir: string
  /** Absolute; absent if there is no file. */
  readonly configFile?: string
  /** Absolute: the file's directory, else the working directory. */
  readonly configDir: string
  /** Absolute. */
  readonly signingKeyFile?: string
  /** Absolute. */
  readonly verifyKeysFile?: string
  /** Holds a password; unset: a Postgres of our own is started. */
  readonly databaseUrl?: Secret
  /** The database user of gateways and agents; only `migrate` receives it. */
  readonly appDatabaseUrl?: Secret
  /** Holds a password; unset: the queue uses Postgres. */
  readonly redisUrl?: Secret
  readonly endpoints: Endpoints
  /** The variables named by policy rules that are set. */
  readonly policyVariables: readonly string[]
  readonly secrets: Secrets
}
