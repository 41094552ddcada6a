import type { Settings } from './schema/schema.ts'
import type { ProviderName } from './schema/schema-model.ts'
import type { Secret, Secrets } from './secrets.ts'
import type { Loaded } from './to-loaded.ts'

type LoadedSettings = Loaded<Settings>

/** The model choice with its blanks filled from what the environment holds. */
export type ResolvedModel = LoadedSettings['model'] & {
  readonly provider: ProviderName
  readonly name: string
}

/** One of the further models, with its name filled in. */
export type NamedModel = LoadedSettings['models'][string] & { readonly name: string }

/** Addresses of other servers, as given. */
export interface Endpoints {
  readonly telegramApiRoot?: string
  readonly slackApiUrl?: string
  readonly anthropicBaseUrl?: string
  readonly openaiBaseUrl?: string
  readonly ollamaBaseUrl?: string
}

/** Everything a process is told at start: complete, frozen, durations in milliseconds. */
export interface Config extends LoadedSettings {
  readonly model: ResolvedModel
  readonly models: Readonly<Record<string, NamedModel>>
  readonly slack: LoadedSettings['slack'] & { readonly mode: 'socket' | 'http' }
  /** Absolute. */
  readonly dataDir: string
  /** Absolute; absent when there is none. */
  readonly configFile?: string
  /** Absolute: where the file is, else where the process was started. */
  readonly configDir: string
  /** Absolute. */
  readonly signingKeyFile?: string
  /** Absolute. */
  readonly verifyKeysFile?: string
  /** Holds a password: unset, an own Postgres is run. */
  readonly databaseUrl?: Secret
  /** As whom gateways and agents connect; only `migrate` is given it. */
  readonly appDatabaseUrl?: Secret
  /** Holds a password: unset, the queue lives in Postgres. */
  readonly redisUrl?: Secret
  readonly endpoints: Endpoints
  /** Which of the variables that policy rules name are set. */
  readonly policyVariables: readonly string[]
  readonly secrets: Secrets
}
