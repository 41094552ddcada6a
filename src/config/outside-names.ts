/** The kind of value in an external variable. Secrets can also be read from a file named in a `…_FILE` variable. */
export interface ExternalVariable {
  readonly name: string
  readonly kind: 'secret' | 'secret_url' | 'secret_headers' | 'url' | 'path'
  readonly schemes?: readonly string[]
  readonly description: string
}

const web = ['https', 'http']

/** CONF-03: the variables whose names are not derived from the schema. */
export const externalVariables = {
  databaseUrl: {
    name: 'DATABASE_URL',
    kind: 'secret_url',
    schemes: ['postgres', 'postgresql'],
    description: 'Postgres; unset: one of its own in the data directory.',
  },
  appDatabaseUrl: {
    name: 'COUNTERSIGN_APP_DATABASE_URL',
    kind: 'secret_url',
    schemes: ['postgres', 'postgresql'],
    description:
      'How gateways and agents reach Postgres, for `migrate`: it makes that role, which cannot change the audit.',
  },
  redisUrl: {
    name: 'REDIS_URL',
    kind: 'secret_url',
    schemes: ['redis', 'rediss'],
    description: 'Redis or Valkey for the queue; unset: the queue lives in Postgres.',
  },
  telegramBotToken: {
    name: 'TELEGRAM_BOT_TOKEN',
    kind: 'secret',
    description: 'The token of the Telegram bot.',
  },
  slackBotToken: {
    name: 'SLACK_BOT_TOKEN',
    kind: 'secret',
    description: 'The bot token of the Slack app.',
  },
  slackAppToken: {
    name: 'SLACK_APP_TOKEN',
    kind: 'secret',
    description: 'Its app-level token, for Socket Mode.',
  },
  slackSigningSecret: {
    name: 'SLACK_SIGNING_SECRET',
    kind: 'secret',
    description: 'Its signing secret, for HTTP mode.',
  },
  anthropicApiKey: {
    name: 'ANTHROPIC_API_KEY',
    kind: 'secret',
    description: 'The key for Anthropic’s models.',
  },
  openaiApiKey: {
    name: 'OPENAI_API_KEY',
    kind: 'secret',
    description: 'The key for OpenAI’s models, and for what speaks its protocol.',
  },
  enrolmentSecret: {
    name: 'COUNTERSIGN_ENROLMENT_SECRET',
    kind: 'secret',
    description:
      'Secret of agents from which worker tokens are made, at least 32 characters; unset with embedded workers: new at each start.',
  },
  workerToken: {
    name: 'COUNTERSIGN_WORKER_TOKEN',
    kind: 'secret',
    description:
      'Enrols a worker of its own process, under its name alone; 64 hexadecimal digits, from `countersign keys`.',
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    kind: 'secret_headers',
    description:
      'Headers for sending traces, such as `authorization=Bearer%20…`: `key=value,key=value`, values percent-encoded.',
  },
  telegramApiRoot: {
    name: 'TELEGRAM_API_ROOT',
    kind: 'url',
    schemes: web,
    description: 'Another Bot API server.',
  },
  slackApiUrl: {
    name: 'SLACK_API_URL',
    kind: 'url',
    schemes: web,
    description: 'Another Slack API.',
  },
  anthropicBaseUrl: {
    name: 'ANTHROPIC_BASE_URL',
    kind: 'url',
    schemes: web,
    description: 'Another server of that protocol, with or without `/v1`.',
  },
  openaiBaseUrl: {
    name: 'OPENAI_BASE_URL',
    kind: 'url',
    schemes: web,
    description: 'Another server of that protocol, with or without `/v1`.',
  },
  ollamaBaseUrl: {
    name: 'OLLAMA_BASE_URL',
    kind: 'url',
    schemes: web,
    description: 'Where Ollama listens.',
  },
  dataDir: {
    name: 'COUNTERSIGN_DATA_DIR',
    kind: 'path',
    description: 'Where everything is kept; unset: `./.countersign`.',
  },
  configFile: {
    name: 'COUNTERSIGN_CONFIG',
    kind: 'path',
    description: 'The configuration file; unset: `./countersign.toml`, if it is there.',
  },
  signingKeyFile: {
    name: 'COUNTERSIGN_SIGNING_KEY_FILE',
    kind: 'path',
    description: 'The key that signs jobs, for agents; unset and embedded: made at first start.',
  },
  verifyKeysFile: {
    name: 'COUNTERSIGN_VERIFY_KEYS_FILE',
    kind: 'path',
    description: 'The keys that verify them, for workers; unset and embedded: made at first start.',
  },
} as const satisfies Readonly<Record<string, ExternalVariable>>

/** All variables read by name, including the `_FILE` forms of secrets. */
export function externalVariableNames(): readonly string[] {
  return Object.values(externalVariables).flatMap(({ name, kind }) =>
    kind.startsWith('secret') ? [name, `${name}_FILE`] : [name],
  )
}
