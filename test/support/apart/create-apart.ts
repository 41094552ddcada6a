import { appRole, grantAppRole } from '../../../src/db/roles/grant-roles.ts'
import { createPlace, type Place } from '../../chaos/support/place.ts'
import { createWire, type Wire } from '../../chaos/telegram/wire.ts'
import { createTestDatabase } from '../database/database.ts'
import { type StartRedisOptions, startRedis, type TestRedis } from '../database/redis.ts'
import { RealProgram } from '../real-product.ts'
import { createTelegram, type TelegramOptions, type TelegramStandIn } from '../telegram/telegram.ts'
import { makeEnvironments, type SlackPoint } from './environments.ts'
import { hasSaidReady, type Role } from './roles.ts'

/** What processes that run apart meet in: PostgreSQL, Redis, keys, Telegram's stand-in, a model. */
export interface Apart extends AsyncDisposable {
  readonly place: Place
  readonly redis: TestRedis
  readonly telegram: TelegramStandIn
  /** The processes' line to PostgreSQL, which can be cut; what `place` looks by stays. */
  readonly wire: Wire
  /** A process of the role, with no more in its environment than it needs. */
  start(role: Role, settings?: Readonly<Record<string, string>>): RealProgram
  /** What a process of the role is given. */
  environment(role: Role): Readonly<Record<string, string>>
  /** Settings of a worker that is not `default`. */
  workerNamed(name: string): Readonly<Record<string, string>>
}

export interface ApartOptions {
  /** Telegram ids of those who may talk. */
  readonly people?: readonly number[]
  readonly telegram?: TelegramOptions
  /** Where Slack is served too. */
  readonly slack?: SlackPoint
  /** Durable unless given. */
  readonly redis?: StartRedisOptions
  /** Beside what every process gets. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function createApart(options: ApartOptions = {}): Promise<Apart> {
  const resources = new AsyncDisposableStack()
  const database = resources.use(await createTestDatabase())
  const redis = resources.use(await startRedis(options.redis ?? { isDurable: true }))
  const telegram = resources.use(await createTelegram(options.telegram))
  // AUD-02: the processes work as a role that owns nothing.
  await grantAppRole(database.db)
  const { host, user, database: name } = database.connection
  const wire = resources.use(await createWire(`${host}/.s.PGSQL.5432`))
  const urlOf = (role: string) => `postgresql://${role}@127.0.0.1:${wire.port}/${name}`
  const connection = { ...database.connection, url: urlOf(user) }
  const place = resources.use(await createPlace({ connection }))
  const { DATABASE_URL: _url, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ...base } = place.environment
  const environments = await makeEnvironments({
    dataDir: place.dataDir,
    databaseUrl: urlOf(appRole),
    redisUrl: redis.url,
    telegram,
    people: options.people ?? [41],
    slack: options.slack,
    model: {
      ANTHROPIC_API_KEY: ANTHROPIC_API_KEY ?? '',
      ANTHROPIC_BASE_URL: ANTHROPIC_BASE_URL ?? '',
    },
    common: { ...base, ...options.settings },
  })
  return {
    place,
    redis,
    telegram,
    wire,
    environment: (role) => environments[role],
    workerNamed: environments.workerNamed,
    start: (role, settings = {}) => {
      const environment = { ...environments[role], ...settings }
      return resources.use(new RealProgram([role], { cwd: place.dataDir, environment }))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Waits until the process says that it serves. */
export async function untilReady(apart: Apart, role: Role, program: RealProgram): Promise<void> {
  const ended = program.ended.then(({ code, signal }) => {
    throw new Error(`the ${role} ended (${signal ?? code}): ${program.stderr}`)
  })
  ended.catch(() => undefined)
  const said = apart.telegram.waitFor(() => hasSaidReady(role, program), {
    timeoutMs: 120_000,
    what: `the ${role} is ready`,
  })
  await Promise.race([said, ended])
}
