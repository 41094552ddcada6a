import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { readEnvironment } from '../../src/config/env.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { toUrl } from '../../src/db/embedded/socket-directory.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest } from '../../src/db/migrate.ts'
import type { Schema } from '../../src/db/schema.ts'
import { silentLog } from '../../src/util/log.ts'
import { makeEnvironments, type SlackPoint } from '../../test/support/apart/environments.ts'
import { hasSaidReady, type Role, roles } from '../../test/support/apart/roles.ts'
import { startRedis } from '../../test/support/database/redis.ts'
import { RealProgram } from '../../test/support/real-product.ts'
import {
  createTelegram,
  type TelegramOptions,
  type TelegramStandIn,
} from '../../test/support/telegram/telegram.ts'
import { inspectable } from './live-heap.ts'
import { createSoakModel } from './soak-model.ts'

/** A process of the product. */
export interface Member {
  readonly role: Role
  readonly program: RealProgram
}

/** Processes apart, with all that they meet in. */
export interface SoakPlace extends AsyncDisposable {
  readonly telegram: TelegramStandIn
  readonly database: Database<Schema>
  /** Process id of the PostgreSQL server. */
  readonly postmaster: number
  readonly redis: Redis
  readonly members: readonly Member[]
  readonly dataDir: string
}

export type Counts = Readonly<Record<Role, number>>

const soakCounts: Counts = { gateway: 2, agent: 2, worker: 3 }
const readyMs = 120_000

/** What a place may have besides. */
export interface SoakOptions {
  readonly telegram?: TelegramOptions
  /** Where Slack is served too. */
  readonly slack?: SlackPoint
}

export async function openSoakPlace(
  people: readonly number[],
  counts: Counts = soakCounts,
  options: SoakOptions = {},
): Promise<SoakPlace> {
  const resources = new AsyncDisposableStack()
  endWhenInterrupted(resources)
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-soak-'))
  resources.defer(() => rm(dataDir, { recursive: true, force: true }))
  const serverDir = join(dataDir, 'server')
  await mkdir(serverDir)
  const postgres = resources.use(
    await startEmbeddedPostgres({ dataDir: serverDir, log: silentLog }),
  )
  const database = resources.use(openDatabase<Schema>(postgres.connection))
  await migrateToLatest(database.db)
  const redis = resources.use(await startRedis({ isDurable: true }))
  const telegram = resources.use(await createTelegram(options.telegram))
  const model = resources.use(await createSoakModel())
  const { path = '', home = dataDir } = readEnvironment()
  const environments = await makeEnvironments({
    dataDir,
    databaseUrl: toUrl(postgres.connection),
    redisUrl: redis.url,
    telegram,
    people,
    slack: options.slack,
    model: { ANTHROPIC_API_KEY: 'a-key-for-the-bench', ANTHROPIC_BASE_URL: model.url },
    common: {
      PATH: path,
      HOME: home,
      COUNTERSIGN_DATA_DIR: dataDir,
      COUNTERSIGN_LIMITS_MESSAGES_PER_MINUTE: '10000',
      ...inspectable,
    },
  })
  const members = roles.flatMap((role) =>
    Array.from({ length: counts[role] }, () => {
      const program = new RealProgram([role], { cwd: dataDir, environment: environments[role] })
      return { role, program: resources.use(program) }
    }),
  )
  const areReady = () => members.every(({ role, program }) => hasSaidReady(role, program))
  await telegram.waitFor(areReady, { timeoutMs: readyMs, what: 'all processes serve' })
  return {
    telegram,
    database,
    postmaster: postgres.pid,
    redis: redis.connect(),
    members,
    dataDir,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Ctrl-C in the middle leaves no server and no data behind. */
function endWhenInterrupted(resources: AsyncDisposableStack): void {
  const end = (): void => {
    void resources.disposeAsync().finally(() => process.exit(130))
  }
  process.once('SIGINT', end).once('SIGTERM', end)
  resources.defer(() => void process.off('SIGINT', end).off('SIGTERM', end))
}
