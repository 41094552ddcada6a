import type { Config } from '../config/config.ts'

/** A process that runs apart (PROC-01). */
export const roles = ['gateway', 'agent', 'worker'] as const
export type Role = (typeof roles)[number]

type Setting = readonly [variable: string, isSet: boolean]

/**
 * What a process of this role lacks, and what it must not be given, each in one line; empty when it may start. A worker
 * runs what models ask for: what it does not hold, no command can take from it.
 */
export function checkRole(role: Role, config: Config): readonly string[] {
  const lacking = needed(role, config).filter(([, isSet]) => !isSet)
  const excess = role === 'worker' ? forbidden(config).filter(([, isSet]) => isSet) : []
  return [
    ...lacking.map(([name]) => `${name} is not set: ${why(name, role)}`),
    ...(role !== 'gateway' && isGuessable(config) ? [guessable] : []),
    ...excess.map(
      ([name]) =>
        `${name} is set, and a worker must not hold it: start it without, for example with env -u ${name}`,
    ),
  ]
}

/** Greetings are proven with it, and whoever reads the queue can try tokens against one for as long as they like. */
const shortestToken = 32
const guessable = `COUNTERSIGN_WORKER_TOKEN is shorter than ${shortestToken} characters: it could be guessed; countersign keys new makes one`

function isGuessable({ secrets }: Config): boolean {
  const { workerToken } = secrets
  return workerToken !== undefined && workerToken.reveal().length < shortestToken
}

/** Secrets that another role keeps; that they are here harms nobody yet, but need not be. */
export function needlessSecrets(role: Role, config: Config): readonly string[] {
  if (role === 'worker') return []
  const others = role === 'gateway' ? [...ofAgents(config), ...ofWorkers(config)] : chats(config)
  return others.filter(([, isSet]) => isSet).map(([name]) => name)
}

function needed(role: Role, config: Config): readonly Setting[] {
  const database: Setting = ['DATABASE_URL', config.databaseUrl !== undefined]
  const queue: Setting = ['REDIS_URL', config.redisUrl !== undefined]
  const { secrets } = config
  const token: Setting = ['COUNTERSIGN_WORKER_TOKEN', secrets.workerToken !== undefined]
  switch (role) {
    case 'gateway':
      return [database, queue, ['TELEGRAM_BOT_TOKEN', secrets.telegramBotToken !== undefined]]
    case 'agent': {
      const key = config.signingKeyFile !== undefined
      return [database, queue, ['COUNTERSIGN_SIGNING_KEY_FILE', key], token]
    }
    case 'worker': {
      const keys = config.verifyKeysFile !== undefined
      return [queue, ['COUNTERSIGN_VERIFY_KEYS_FILE', keys], token]
    }
    default:
      return role satisfies never
  }
}

function forbidden(config: Config): readonly Setting[] {
  return [['DATABASE_URL', config.databaseUrl !== undefined], ...chats(config), ...ofAgents(config)]
}

function chats({ secrets }: Config): readonly Setting[] {
  return [
    ['TELEGRAM_BOT_TOKEN', secrets.telegramBotToken !== undefined],
    ['SLACK_BOT_TOKEN', secrets.slackBotToken !== undefined],
    ['SLACK_APP_TOKEN', secrets.slackAppToken !== undefined],
    ['SLACK_SIGNING_SECRET', secrets.slackSigningSecret !== undefined],
  ]
}

function ofAgents({ secrets, signingKeyFile }: Config): readonly Setting[] {
  return [
    ['ANTHROPIC_API_KEY', secrets.anthropicApiKey !== undefined],
    ['OPENAI_API_KEY', secrets.openaiApiKey !== undefined],
    ['COUNTERSIGN_SIGNING_KEY_FILE', signingKeyFile !== undefined],
  ]
}

function ofWorkers({ secrets }: Config): readonly Setting[] {
  return [['COUNTERSIGN_WORKER_TOKEN', secrets.workerToken !== undefined]]
}

function why(name: string, role: Role): string {
  if (name === 'REDIS_URL') return 'processes that run apart meet in a Redis'
  if (name === 'DATABASE_URL') return `a ${role} keeps everything in a PostgreSQL`
  if (name === 'TELEGRAM_BOT_TOKEN') return 'a gateway needs a chat platform to serve'
  return 'countersign keys new makes it'
}
