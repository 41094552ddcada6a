import path from 'node:path'
import type { z } from 'zod'
import type { Config, Endpoints, ResolvedModel } from './config.ts'
import type { Environment } from './env.ts'
import type { ExternalValues } from './read-outside.ts'
import type { Settings } from './schema/schema.ts'
import { factsOfProvider, type ProviderName, providerFacts } from './schema/schema-model.ts'
import { Secret, type Secrets } from './secrets.ts'
import type { Path } from './shape.ts'
import { type Loaded, toLoaded } from './to-loaded.ts'

export interface ConfigParts {
  readonly settings: Settings
  readonly schema: z.ZodType
  readonly environment: Environment
  readonly outside: ExternalValues['values']
  readonly cwd: string
  readonly configFile: string | undefined
  /** Whether an environment variable, not the file, set the value at a path. */
  readonly isFromEnvironment: (key: Path) => boolean
}

/** Assembles the checked parts and derives values that depend on several keys. */
export function buildConfig(parts: ConfigParts): Config {
  const { outside, cwd, configFile, environment } = parts
  const configDir = configFile === undefined ? cwd : path.dirname(configFile)
  const loaded = toLoaded(parts.settings, parts.schema, {
    home: environment.home,
    baseOf: (key) => (parts.isFromEnvironment(key) ? cwd : configDir),
  })
  const { shell } = loaded.tools
  return deepFreeze<Config>({
    ...loaded,
    tools: {
      ...loaded.tools,
      shell: { ...shell, maxTimeoutMs: Math.max(shell.maxTimeoutMs, shell.timeoutMs) },
    },
    model: resolveModel(loaded.model, outside),
    models: nameModels(loaded.models),
    slack: {
      ...loaded.slack,
      mode: loaded.slack.mode ?? (outside.slackAppToken ? 'socket' : 'http'),
    },
    dataDir: outside.dataDir ?? path.join(cwd, '.countersign'),
    ...(configFile !== undefined && { configFile }),
    configDir,
    ...(outside.signingKeyFile && { signingKeyFile: outside.signingKeyFile }),
    ...(outside.verifyKeysFile && { verifyKeysFile: outside.verifyKeysFile }),
    ...(outside.databaseUrl && { databaseUrl: new Secret(outside.databaseUrl) }),
    ...(outside.appDatabaseUrl && { appDatabaseUrl: new Secret(outside.appDatabaseUrl) }),
    ...(outside.redisUrl && { redisUrl: new Secret(outside.redisUrl) }),
    endpoints: endpointsFrom(outside),
    policyVariables: policyVariables(loaded.tools, environment),
    secrets: secretsFrom(outside, mcpVariables(loaded.mcp), environment),
  })
}

/** POL-01: names only; rules never use a value, so none is kept. */
function policyVariables(
  { policy, authorization }: Loaded<Settings>['tools'],
  environment: Environment,
): readonly string[] {
  const named = [...policy.rules, ...authorization.rules].flatMap(({ env }) => env)
  return [...new Set(named)].filter((name) => environment.get(name) !== undefined)
}

function resolveModel(
  model: Loaded<Settings>['model'],
  outside: ExternalValues['values'],
): ResolvedModel {
  const provider = model.provider ?? firstFound(outside)
  return { ...model, provider, name: model.name ?? factsOfProvider(provider).model ?? provider }
}

function nameModels(models: Loaded<Settings>['models']): Config['models'] {
  const named = Object.entries(models).map(([key, model]) => {
    return [key, { ...model, name: model.name ?? providerFacts[model.provider].model }] as const
  })
  return Object.fromEntries(named)
}

function firstFound(outside: ExternalValues['values']): ProviderName {
  const names = Object.keys(providerFacts) as ProviderName[]
  const found = names.find((name) => {
    const { foundBy } = factsOfProvider(name)
    return foundBy !== undefined && Boolean(outside[foundBy])
  })
  return found ?? 'offline'
}

function endpointsFrom(outside: ExternalValues['values']): Endpoints {
  const names = [
    'telegramApiRoot',
    'slackApiUrl',
    'anthropicBaseUrl',
    'openaiBaseUrl',
    'ollamaBaseUrl',
  ] as const
  return Object.fromEntries(names.flatMap((name) => (outside[name] ? [[name, outside[name]]] : [])))
}

function secretsFrom(
  outside: ExternalValues['values'],
  variables: readonly string[],
  environment: Environment,
): Secrets {
  const names = [
    'telegramBotToken',
    'slackBotToken',
    'slackAppToken',
    'slackSigningSecret',
    'anthropicApiKey',
    'openaiApiKey',
    'enrolmentSecret',
    'workerToken',
    'otlpHeaders',
  ] as const
  const own = names.flatMap((name) => {
    const value = outside[name]
    return value === undefined ? [] : [[name, new Secret(value)] as const]
  })
  const mcp = variables.flatMap((name) => {
    const value = environment.get(name)
    return value === undefined ? [] : [[name, new Secret(value)] as const]
  })
  return { ...Object.fromEntries(own), mcp: Object.fromEntries(mcp) }
}

function mcpVariables(servers: Loaded<Settings>['mcp']): readonly string[] {
  return Object.values(servers).flatMap(({ environment, tokenVariable }) =>
    tokenVariable === undefined ? environment : [...environment, tokenVariable],
  )
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner)
  }
  return Object.freeze(value)
}
