import type { Check } from '../../adapters/http/health-route.ts'
import type { Config } from '../../config/config.ts'
import type { Queue } from '../../ports/queue.ts'
import { reviewProblems } from '../settings/reviewing-model.ts'
import { secretProblem, tokenProblem } from './enrolment-problems.ts'

/** Processes that can run separately (PROC-01). */
export const roles = ['gateway', 'agent', 'worker'] as const

/** Checks that jobs can be added. */
export function checkQueue(queue: Queue): Check {
  return async () => {
    await queue.check()
    return undefined
  }
}

export type Role = (typeof roles)[number]

type Setting = readonly [variable: string, isSet: boolean]

/**
 * Returns what a process of this role lacks and what it must not be given, one a line; empty if it may start. A worker
 * runs what models request, and commands cannot take what it does not have.
 */
export function checkRole(role: Role, config: Config): readonly string[] {
  const lacking = needed(role, config).filter(([, isSet]) => !isSet)
  const excess = role === 'worker' ? forbidden(config).filter(([, isSet]) => isSet) : []
  return [
    ...lacking.map(([name]) => `${name} is not set: ${why(name, role)}`),
    ...guessable(role, config),
    ...(role === 'agent' ? reviewProblems(config) : []),
    ...excess.map(
      ([name]) =>
        `${name} is set, and a worker must not hold it: start it without, for example with env -u ${name}`,
    ),
  ]
}

function guessable(role: Role, config: Config): readonly string[] {
  const problems = {
    gateway: () => undefined,
    agent: secretProblem,
    worker: tokenProblem,
  } as const satisfies Readonly<Record<Role, (config: Config) => string | undefined>>
  const problem = problems[role](config)
  return problem === undefined ? [] : [problem]
}

/** Returns secrets that only other roles need, as a warning. */
export function needlessSecrets(role: Role, config: Config): readonly string[] {
  if (role === 'worker') return []
  const others = [...(role === 'gateway' ? ofAgents(config) : chats(config)), ...ofWorkers(config)]
  return others.filter(([, isSet]) => isSet).map(([name]) => name)
}

function needed(role: Role, config: Config): readonly Setting[] {
  const database: Setting = ['DATABASE_URL', config.databaseUrl !== undefined]
  const queue: Setting = ['REDIS_URL', config.redisUrl !== undefined]
  switch (role) {
    case 'gateway':
      return [database, queue, chatToken(config)]
    case 'agent': {
      const key = config.signingKeyFile !== undefined
      return [database, queue, ['COUNTERSIGN_SIGNING_KEY_FILE', key], enrolment(config)]
    }
    case 'worker': {
      const keys = config.verifyKeysFile !== undefined
      return [queue, ['COUNTERSIGN_VERIFY_KEYS_FILE', keys], ...ofWorkers(config)]
    }
    default:
      return role satisfies never
  }
}

function forbidden(config: Config): readonly Setting[] {
  return [
    ['DATABASE_URL', config.databaseUrl !== undefined],
    ['COUNTERSIGN_APP_DATABASE_URL', config.appDatabaseUrl !== undefined],
    ...chats(config),
    ...ofAgents(config),
  ]
}

/** One platform is enough. */
function chatToken({ secrets }: Config): Setting {
  const { telegramBotToken, slackBotToken } = secrets
  const isSet = telegramBotToken !== undefined || slackBotToken !== undefined
  return ['TELEGRAM_BOT_TOKEN or SLACK_BOT_TOKEN', isSet]
}

function chats({ secrets }: Config): readonly Setting[] {
  return [
    ['TELEGRAM_BOT_TOKEN', secrets.telegramBotToken !== undefined],
    ['SLACK_BOT_TOKEN', secrets.slackBotToken !== undefined],
    ['SLACK_APP_TOKEN', secrets.slackAppToken !== undefined],
    ['SLACK_SIGNING_SECRET', secrets.slackSigningSecret !== undefined],
  ]
}

function ofAgents(config: Config): readonly Setting[] {
  const { secrets, signingKeyFile } = config
  return [
    ['ANTHROPIC_API_KEY', secrets.anthropicApiKey !== undefined],
    ['OPENAI_API_KEY', secrets.openaiApiKey !== undefined],
    ['COUNTERSIGN_SIGNING_KEY_FILE', signingKeyFile !== undefined],
    enrolment(config),
  ]
}

/** Secret that enrols under every name; a worker with it could impersonate another. */
function enrolment({ secrets }: Config): Setting {
  return ['COUNTERSIGN_ENROLMENT_SECRET', secrets.enrolmentSecret !== undefined]
}

function ofWorkers({ secrets }: Config): readonly Setting[] {
  return [['COUNTERSIGN_WORKER_TOKEN', secrets.workerToken !== undefined]]
}

function why(name: string, role: Role): string {
  if (name === 'REDIS_URL') return 'processes that run apart meet in a Redis'
  if (name === 'DATABASE_URL') return `a ${role} keeps everything in a PostgreSQL`
  if (name.startsWith('TELEGRAM_BOT_TOKEN')) return 'a gateway needs a chat platform to serve'
  return 'countersign keys new makes it'
}
