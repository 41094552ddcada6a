import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Role } from '../../../src/app/processes/check-state.ts'
import { newKeys } from '../../../src/cli/setup/new-keys.ts'
import { workerToken } from '../../../src/rules/jobs/enrolment.ts'

/** Where processes that run apart meet. */
export interface MeetingPoints {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly telegram: { readonly token: string; readonly url: string }
  /** Telegram ids of those who may talk. */
  readonly people: readonly number[]
  /** Where Slack is served too. */
  readonly slack?: SlackPoint | undefined
  /** Of the model, for agents alone. */
  readonly model: Readonly<Record<string, string>>
  /** What every process gets. */
  readonly common: Readonly<Record<string, string>>
}

export interface SlackPoint {
  readonly botToken: string
  readonly appToken: string
  readonly apiUrl: string
  /** Members' ids of those who may talk. */
  readonly people: readonly string[]
}

type Variables = Readonly<Record<string, string>>

/** What processes are given: no more than they need. */
export interface Environments extends Readonly<Record<Role, Variables>> {
  /** What a worker that is not `default` is given besides, and instead. */
  workerNamed(name: string): Variables
}

/** Makes the keys. */
export async function makeEnvironments(points: MeetingPoints): Promise<Environments> {
  const directory = join(points.dataDir, 'keys')
  const keys = await newKeys({
    directory,
    workerDirectory: directory,
    worker: 'default',
    keep: false,
  })
  const common = {
    ...points.common,
    REDIS_URL: points.redisUrl,
    COUNTERSIGN_HTTP_LISTEN: '127.0.0.1:0',
  }
  const database = { DATABASE_URL: points.databaseUrl }
  const secret = (await readFile(keys.enrolmentSecretFile, 'utf8')).trim()
  return {
    gateway: {
      ...common,
      ...database,
      TELEGRAM_BOT_TOKEN: points.telegram.token,
      TELEGRAM_API_ROOT: points.telegram.url,
      COUNTERSIGN_TELEGRAM_ALLOWED_USERS: points.people.join(','),
      ...slackVariables(points.slack),
    },
    agent: {
      ...common,
      ...database,
      ...points.model,
      COUNTERSIGN_SIGNING_KEY_FILE: keys.signingKeyFile,
      COUNTERSIGN_ENROLMENT_SECRET_FILE: keys.enrolmentSecretFile,
    },
    worker: {
      ...common,
      COUNTERSIGN_VERIFY_KEYS_FILE: keys.verifyKeysFile,
      COUNTERSIGN_WORKER_TOKEN_FILE: keys.workerTokenFile,
    },
    workerNamed: (name) => ({
      COUNTERSIGN_WORKER_NAME: name,
      COUNTERSIGN_WORKER_TOKEN: workerToken(secret, name),
      COUNTERSIGN_WORKER_TOKEN_FILE: '',
    }),
  }
}

function slackVariables(slack: SlackPoint | undefined): Variables {
  if (slack === undefined) return {}
  return {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    COUNTERSIGN_SLACK_ALLOWED_USERS: slack.people.join(','),
  }
}
