import { join } from 'node:path'
import type { Role } from '../../../src/app/check-role.ts'
import { newKeys } from '../../../src/app/new-keys.ts'

/** Where processes that run apart meet. */
export interface MeetingPoints {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly telegram: { readonly token: string; readonly url: string }
  /** Telegram ids of those who may talk. */
  readonly people: readonly number[]
  /** Of the model, for agents alone. */
  readonly model: Readonly<Record<string, string>>
  /** What every process gets. */
  readonly common: Readonly<Record<string, string>>
}

/** What a process of each role is given: no more than it needs. Makes the keys. */
export async function makeEnvironments(
  points: MeetingPoints,
): Promise<Readonly<Record<Role, Readonly<Record<string, string>>>>> {
  const directory = join(points.dataDir, 'keys')
  const keys = await newKeys({ directory, workerDirectory: directory, keep: false })
  const common = {
    ...points.common,
    REDIS_URL: points.redisUrl,
    COUNTERSIGN_HTTP_LISTEN: '127.0.0.1:0',
  }
  const database = { DATABASE_URL: points.databaseUrl }
  const token = { COUNTERSIGN_WORKER_TOKEN_FILE: keys.workerTokenFile }
  return {
    gateway: {
      ...common,
      ...database,
      TELEGRAM_BOT_TOKEN: points.telegram.token,
      TELEGRAM_API_ROOT: points.telegram.url,
      COUNTERSIGN_TELEGRAM_ALLOWED_USERS: points.people.join(','),
    },
    agent: {
      ...common,
      ...token,
      ...database,
      ...points.model,
      COUNTERSIGN_SIGNING_KEY_FILE: keys.signingKeyFile,
    },
    worker: { ...common, ...token, COUNTERSIGN_VERIFY_KEYS_FILE: keys.verifyKeysFile },
  }
}
