import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inject, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { connectRunning } from '../../../src/db/embedded/connect-running.ts'
import type { SocketConnection } from '../../../src/db/embedded/socket-directory.ts'
import type { Db, Schema } from '../../../src/db/schema.ts'
import { newId } from '../../../src/util/ids.ts'
import { copyCluster } from '../../support/database/prepared-cluster.ts'
import { type PersonsDeed, RealProduct } from '../../support/real-product.ts'
import { createObedientModel, type ObedientModel } from './model.ts'
import { killNow, processesOf } from './processes.ts'

/** A data directory with a model beside it; what runs over it can be killed and started again. */
export interface Place extends AsyncDisposable {
  readonly dataDir: string
  readonly model: ObedientModel
  readonly environment: Readonly<Record<string, string>>
  start(): RealProduct
  /** Reads the database; while it is away, waits for it. */
  look<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Looks again and again until something is there; fails after `patienceMs`, 120 s by default. */
  until<T>(what: string, work: (db: Db) => Promise<T | undefined>, patienceMs?: number): Promise<T>
  /** Every line that commands of any conversation have written into their workspace's `counter`. */
  counter(): readonly string[]
  /** An empty file in every workspace, for commands that go on until it is there. */
  putFile(name: string): void
  /** What the product has logged as errors, one line each. */
  complaints(): string
  /** kill -9 of everything that runs over the directory. */
  killAll(): void
}

export interface PlaceOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** A database beside; without it the product runs its own. */
  readonly connection?: SocketConnection & { readonly url: string }
  /** With nothing in it, as before a first start; else the database of its own is there. */
  readonly isEmpty?: true
}

/** Seldom enough that looking takes nothing from what is looked at. */
const lookEveryMs = 50

export async function createPlace({
  settings = {},
  connection,
  isEmpty,
}: PlaceOptions = {}): Promise<Place> {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-chaos-')))
  const isGiven = connection === undefined && isEmpty === undefined
  if (isGiven) await copyCluster(inject('preparedCluster'), dataDir)
  const model = await createObedientModel()
  const environment = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: dataDir,
    USER: 'ada',
    COUNTERSIGN_DATA_DIR: dataDir,
    ANTHROPIC_API_KEY: 'a-key-for-tests',
    ANTHROPIC_BASE_URL: model.url,
    COUNTERSIGN_LIMITS_MESSAGES_PER_MINUTE: '10000',
    ...(connection === undefined ? {} : { DATABASE_URL: connection.url }),
    ...settings,
  }
  const connect = async () => connection ?? (await connectRunning(dataDir))
  const until: Place['until'] = async (what, work, patienceMs = 120_000) => {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const found = await tryLook(connect, work, deadline)
      if (found !== undefined) return found
      if (performance.now() > deadline) {
        const state = await tryLook(connect, describeState, performance.now() + 5_000)
        throw new Error(
          `it never came to this: ${what}\n${state}\n${linesOfLog(dataDir).slice(-25).join('\n')}`,
        )
      }
      await delay(lookEveryMs)
    }
  }
  const killAll = () => killNow(processesOf(dataDir).map(({ pid }) => pid))
  let disposed: Promise<void> | undefined
  const dispose = (): Promise<void> => {
    killAll()
    disposed ??= end(model, dataDir)
    return disposed
  }
  // A test that runs out of time never comes to the end of its block.
  onTestFinished(dispose)
  return {
    dataDir,
    model,
    environment,
    start: () => new RealProduct({ cwd: dataDir, environment }),
    until,
    look: async (work) => {
      const { found } = await until('the database answers', async (db) => ({
        found: await work(db),
      }))
      return found
    },
    counter: () => workspacesOf(dataDir).flatMap(linesOfCounter),
    putFile: (name) => {
      for (const path of workspacesOf(dataDir)) writeFileSync(join(path, name), '')
    },
    complaints: () =>
      linesOfLog(dataDir)
        .filter((line) => line.includes('"level":50'))
        .join('\n'),
    killAll,
    [Symbol.asyncDispose]: dispose,
  }
}

/** Polls over one connection for as long as it holds; undefined when it broke or time is up. */
async function tryLook<T>(
  connect: () => Promise<SocketConnection | undefined>,
  work: (db: Db) => Promise<T | undefined>,
  deadline: number,
): Promise<T | undefined> {
  const connection = await connect()
  if (connection === undefined) return undefined
  const { host, user, database } = connection
  await using opened = openDatabase<Schema>({ host, user, database }, { max: 1 })
  try {
    do {
      const found = await work(opened.db)
      if (found !== undefined) return found
      await delay(lookEveryMs)
    } while (performance.now() < deadline)
  } catch (error) {
    if (!isAway(error)) throw error
  }
  return undefined
}

/** What a person needs to see of a product that got stuck. */
async function describeState(db: Db): Promise<string> {
  const turn = await db.selectFrom('turn').selectAll().orderBy('id', 'desc').executeTakeFirst()
  const call = await db.selectFrom('tool_call').selectAll().orderBy('id', 'desc').executeTakeFirst()
  const unsent = await db.selectFrom('outbox').selectAll().where('state', '!=', 'sent').execute()
  const workers = await db.selectFrom('worker').select(['replica', 'seen_at']).execute()
  return JSON.stringify({ turn, call, unsent, workers }, undefined, 1)
}

function linesOfLog(dataDir: string): readonly string[] {
  const file = join(dataDir, 'countersign.log')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
}

/** PostgreSQL was killed, is starting or is stopping, or its tables are still being made. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(57P0\d|08\w{3}|42P01|E[A-Z]+)$/.test(code) || /connection|terminated/i.test(error.message)
  )
}

/** An update from a person, sent again until it is confirmed, as platforms do. */
export function deed(body: PersonsDeed['body'], conversation = 'room'): PersonsDeed {
  return { externalId: newId(), conversation, body }
}

function workspacesOf(dataDir: string): readonly string[] {
  const dir = join(dataDir, 'workspaces')
  return existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : []
}

function linesOfCounter(workspace: string): readonly string[] {
  const file = join(workspace, 'counter')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

async function end(model: ObedientModel, dataDir: string): Promise<void> {
  await model[Symbol.asyncDispose]()
  await remove(dataDir)
}

async function remove(dataDir: string): Promise<void> {
  // Root's process driver has moved them elsewhere.
  for (const path of workspacesOf(dataDir)) {
    await rm(realpathSync(path), { recursive: true, force: true })
  }
  for (let tries = 0; ; tries += 1) {
    try {
      return await rm(dataDir, { recursive: true, force: true })
    } catch (error) {
      if (tries > 50) throw error
      await delay(100)
    }
  }
}
