import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openProduct, type Product } from '../../src/app/open-product.ts'
import { waitForIdle } from '../../src/app/processes/serve-terminal.ts'
import type { Config } from '../../src/config/config.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { formatProblems } from '../../src/config/problems.ts'
import type { InboundBody } from '../../src/core/inbox/inbound.ts'
import { saveCaller } from '../../src/db/people/callers.ts'
import type { Db } from '../../src/db/schema.ts'
import type { Decision } from '../../src/domain/approval.ts'
import type { Caller } from '../../src/domain/caller.ts'
import type { Gateway } from '../../src/gateway/run-gateway.ts'
import type { Model } from '../../src/ports/model.ts'
import { type Observer, silentObserver } from '../../src/ports/observer.ts'
import type { ToolSpec } from '../../src/rules/tools/tool-spec.ts'
import { newId } from '../../src/util/ids.ts'
import { type Log, silentLog } from '../../src/util/log.ts'
import type { WorkerTool } from '../../src/worker/worker-tool.ts'
import { createUsedDatabase, type TestDatabase } from './database/database.ts'
import { createRecordingPlatform, type RecordingPlatform } from './recording-platform.ts'

export const ada: Caller = { id: 'test:ada', name: 'Ada', role: 'user' }
export const bob: Caller = { id: 'test:bob', name: 'Bob', role: 'user' }
export const eve: Caller = { id: 'test:eve', name: 'Eve', role: 'approver' }
export const olga: Caller = { id: 'test:olga', name: 'Olga', role: 'operator' }

export interface FlowOptions {
  readonly model: Model
  /** Takes over where `model` failed. */
  readonly fallback?: Model
  /** What people choose from by `/model`. */
  readonly choices?: ReadonlyMap<string, Model>
  /** Reviews calls, where the settings want that. */
  readonly reviewer?: Model
  /** `COUNTERSIGN_…` variables. */
  readonly settings?: Readonly<Record<string, string>>
  /** Text of `countersign.toml`. */
  readonly toml?: string
  readonly platform?: RecordingPlatform
  readonly log?: Log
  readonly observer?: Observer
  /** Instead of the built-in ones. */
  readonly tools?: readonly ToolSpec[]
  /** Instead of those that reach the web. */
  readonly workerTools?: ReadonlyMap<string, WorkerTool>
  /** An earlier flow's database and data directory, to go on from. */
  readonly over?: Flow
}

/** The whole product in this process on a database of its own, with a scripted model and a platform that records. */
export interface Flow extends AsyncDisposable {
  readonly config: Config
  readonly product: Product
  readonly gateway: Gateway
  readonly platform: RecordingPlatform
  readonly database: TestDatabase
  readonly db: Db
  readonly dataDir: string
  /** Sends what a person does, without waiting for what comes of it. Answers the conversation's id. */
  act(body: InboundBody, as?: Caller, conversation?: string): Promise<string>
  /** Writes a message and waits until nothing but questions is under way. */
  say(text: string, as?: Caller, conversation?: string): Promise<void>
  /** Answers the pending card with this number (the only one by default) and waits. */
  decide(decision: Decision, as?: Caller, number?: number): Promise<void>
  quiet(conversation?: string): Promise<void>
  /** The same of a conversation by its id. */
  quietOf(conversationId: string): Promise<void>
}

const home = 'room'

export async function createFlow(options: FlowOptions): Promise<Flow> {
  const resources = new AsyncDisposableStack()
  const { over } = options
  const database = over?.database ?? resources.use(await createUsedDatabase())
  const dataDir = over?.dataDir ?? (await mkdtemp(join(tmpdir(), 'countersign-flow-')))
  if (over === undefined) resources.defer(() => rm(dataDir, { recursive: true, force: true }))
  if (options.toml !== undefined) await writeFile(join(dataDir, 'countersign.toml'), options.toml)
  const environment = new Environment({
    PATH: process.env['PATH'],
    HOME: dataDir,
    DATABASE_URL: database.url,
    COUNTERSIGN_DATA_DIR: dataDir,
    COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone',
    COUNTERSIGN_LIMITS_MESSAGES_PER_MINUTE: '10000',
    ...options.settings,
  })
  const loaded = loadConfig({ cwd: dataDir, environment })
  if (loaded.kind === 'invalid') throw new Error(formatProblems(loaded.problems))
  const { config } = loaded
  const { model, fallback, choices, reviewer, log = silentLog, observer = silentObserver } = options
  const models = {
    model,
    ...(fallback === undefined ? {} : { fallback }),
    ...(choices === undefined ? {} : { choices }),
    ...(reviewer === undefined ? {} : { reviewer }),
  }
  const product = resources.use(
    await openProduct({
      ...{ config, environment, log, observer, models },
      ...(options.tools === undefined ? {} : { tools: options.tools }),
      ...(options.workerTools === undefined ? {} : { workerTools: options.workerTools }),
    }),
  )
  const platform = options.platform ?? createRecordingPlatform()
  const { db } = database
  for (const caller of [ada, bob, eve, olga]) await saveCaller(db, caller)
  const gateway = await product.serve(platform)
  const act: Flow['act'] = (body, as = ada, conversation = home) =>
    gateway.act({
      platform: platform.name,
      externalId: newId(),
      conversation,
      callerId: as.id,
      body,
    })
  const settle = async (id: string): Promise<void> => {
    await waitForIdle(db, id, config.worker.name, AbortSignal.timeout(100_000))
  }
  return {
    config,
    product,
    gateway,
    platform,
    database,
    db,
    dataDir,
    act,
    say: async (text, as, conversation) =>
      settle(await act({ kind: 'message', text }, as, conversation)),
    decide: async (decision, as, number) => {
      const { id } = await pendingApproval(db, number)
      await settle(await act({ kind: 'decision', approvalId: id, decision }, as))
    },
    quiet: async (conversation = home) => {
      const row = await db
        .selectFrom('conversation')
        .select('id')
        .where('external_id', '=', conversation)
        .executeTakeFirstOrThrow()
      await settle(row.id)
    },
    quietOf: settle,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The pending approval with this number, or the only one. */
export async function pendingApproval(db: Db, number?: number) {
  const rows = await db
    .selectFrom('approval')
    .selectAll()
    .where('state', '=', 'pending')
    .orderBy('number')
    .execute()
  const found = number === undefined ? rows[0] : rows.find((row) => row.number === number)
  if (found === undefined) throw new Error(`no pending approval ${number ?? ''}`)
  return found
}

/** Waits for a condition that nothing announces; fails after 90 s. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 90_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`it never came to this: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
