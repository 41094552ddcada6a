import { setTimeout as delay } from 'node:timers/promises'
import { createFilePermissionsStore, readRulesFile } from '../adapters/permissions/file-store.ts'
import { createAgentIdentity } from '../agent/agent-identity.ts'
import { deleteExpiredData } from '../agent/keep-retention.ts'
import { receiveResults, runAgent } from '../agent/run-agent.ts'
import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import type { InboxContext, ShownRules } from '../core/inbox/inbound.ts'
import { retryThroughOutage } from '../core/transaction.ts'
import type { TurnContext } from '../core/turn/turn-context.ts'
import { resetSends } from '../db/call/silent-calls.ts'
import type { EmbeddedPostgres } from '../db/embedded/start-embedded-postgres.ts'
import { releaseAllLiveClaims } from '../db/outbox/live-messages.ts'
import { releaseAllClaims } from '../db/outbox/outbox-claims.ts'
import { deleteAllLeases } from '../db/turn/leases.ts'
import { expireAllLeases } from '../db/turn/lost-turns.ts'
import { releaseAllUploadClaims } from '../db/upload/upload-claims.ts'
import { findPermissions } from '../db/worker/worker-permissions.ts'
import { deleteReplicas, findLiveReplicas } from '../db/worker/workers.ts'
import { createPlatformGateway, type PlatformGateway } from '../gateway/gateway-side.ts'
import type { Bus } from '../ports/bus.ts'
import { type Observer, silentObserver } from '../ports/observer.ts'
import type { Queue } from '../ports/queue.ts'
import type { SandboxDriver } from '../ports/sandbox.ts'
import { workerToken } from '../rules/jobs/enrolment.ts'
import { parseVerifyKeys } from '../rules/jobs/keys.ts'
import type { ToolSpec } from '../rules/tools/tool-spec.ts'
import { orAborted } from '../util/abort.ts'
import type { Log } from '../util/log.ts'
import { signingBus } from '../worker/signing-bus.ts'
import type { WorkerTool } from '../worker/worker-tool.ts'
import { createAuditKeeper, createAuditVerifier } from './audit/keep-audit.ts'
import { buildContext } from './build-core.ts'
import { type AgentKeys, loadKeys } from './keys/load-keys.ts'
import { type Models, openModels } from './open-models.ts'
import { openStore, type Store } from './open-store.ts'
import { createSignals } from './processes/signals.ts'
import { openSandbox, runWorker } from './processes/start-worker.ts'
import { operatorRules } from './settings/operator-rules.ts'
import { permissionsPlace } from './settings/permissions-place.ts'
import type { Transport } from './transport.ts'

interface ProductOptions {
  readonly config: Config
  readonly environment: Environment
  readonly log: Log
  /** Ends a start that waits for its sandbox or its database. */
  readonly signal?: AbortSignal
  readonly observer?: Observer
  /** Embedded PostgreSQL whose start was begun before. */
  readonly embedded?: Promise<EmbeddedPostgres> | undefined
  /** Replaces the configured models, for tests. */
  readonly models?: Models
  /** Instead of the built-in ones, for tests. */
  readonly tools?: readonly ToolSpec[]
  /** How those that run in the worker are carried out, for tests. */
  readonly workerTools?: ReadonlyMap<string, WorkerTool>
}

/** Product in one process: store, queue, worker and agent; gateways are added for each chat platform. */
export interface Product extends PlatformGateway, AsyncDisposable {
  readonly store: Store
  readonly ctx: TurnContext & InboxContext
  readonly queue: Queue
  readonly bus: Bus
  readonly driver: SandboxDriver
  /** Sandbox that was chosen, and why, for the start message. */
  readonly sandbox: string
}

/** Product whose gateway may serve already, while sandbox, worker and agent are opened. */
export interface BegunProduct extends Omit<Product, 'driver' | 'sandbox'> {
  /** Resolves once calls run and turns are taken; rejects where that cannot be. */
  readonly working: Promise<Pick<Product, 'driver' | 'sandbox'>>
}

/** PROC-01: opens the whole product in this process, with its PostgreSQL and boxes. Disposing drains it. */
export async function openProduct(options: ProductOptions): Promise<Product> {
  const product = await beginProduct(options)
  try {
    return { ...product, ...(await product.working) }
  } catch (error) {
    await product[Symbol.asyncDispose]()
    throw error
  }
}

/** Opens what a gateway needs; the rest opens meanwhile. What comes in is stored, and waits as rows. */
export async function beginProduct(options: ProductOptions): Promise<BegunProduct> {
  const resources = new AsyncDisposableStack()
  try {
    return await assemble(options, resources)
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

async function assemble(
  options: ProductOptions,
  resources: AsyncDisposableStack,
): Promise<BegunProduct> {
  const { config, environment, log, observer = silentObserver, models: given } = options
  const sandboxOpening = openSandbox(config, environment, log)
  const modelOpening = given === undefined ? openModels(config) : Promise.resolve(given)
  // Awaited below; an earlier failure must not make them unhandled rejections.
  sandboxOpening.catch(() => undefined)
  modelOpening.catch(() => undefined)
  const store = resources.use(await openStore(config, environment, log, options.embedded))
  const { queue, bus } = resources.use(await openTransport(store, config, log))
  const keys = await loadKeys(config)
  const models = await modelOpening
  const identity = createAgentIdentity()
  const signals = createSignals(queue, signingBus(bus, identity.signEvent))
  const { tools } = options
  const core = buildContext({
    ...{ config, db: store.db, signals, models, keys, identity, log, observer },
    ...(tools !== undefined && { tools }),
  })
  if (store.embedded !== undefined) await recover(core, config.redisUrl ? undefined : queue)
  // Before the platforms, which are then closed first.
  const work = resources.use(new AsyncDisposableStack())
  const gatewayRules = shownRules(config, true)
  const { ctx: inbox, serve } = createPlatformGateway(core, bus, resources, gatewayRules)
  const ctx = { ...inbox, ...core }
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, ...(options.signal ? [options.signal] : [])])
  const working = startWork({ options, store, queue, bus, keys, ctx, work, sandboxOpening, signal })
  // The caller hears of it.
  const settled = working.catch(() => undefined)
  return {
    ...{ store, ctx, queue, bus, serve, working },
    [Symbol.asyncDispose]: async () => {
      closing.abort(new Error('the product ends'))
      await settled
      await resources.disposeAsync()
    },
  }
}

interface Work {
  readonly options: ProductOptions
  readonly store: Store
  readonly queue: Queue
  readonly bus: Bus
  readonly keys: AgentKeys
  readonly ctx: TurnContext & InboxContext
  /** Takes what is opened. */
  readonly work: AsyncDisposableStack
  readonly sandboxOpening: ReturnType<typeof openSandbox>
  /** Fires when the product is closed before it works. */
  readonly signal: AbortSignal
}

/**
 * Opens worker and agent; turns are taken once the worker is known. An outage of the database is waited out, as people are
 * heard already.
 */
async function startWork(parts: Work): Promise<Pick<Product, 'driver' | 'sandbox'>> {
  const { options, store, queue, bus, keys, ctx, work, signal } = parts
  const { config, environment, log, observer = silentObserver, tools } = options
  const { driver, why } = await orAborted(parts.sandboxOpening, signal)
  work.use(await receiveResults(ctx, queue))
  const worker = await runWorker({
    config,
    environment,
    queue,
    bus,
    driver,
    verifyKeys: parseVerifyKeys(keys.signer.publicKeyPem),
    workerToken: workerToken(keys.enrolmentSecret, config.worker.name),
    observer,
    log,
    ...(tools !== undefined && { tools }),
    ...(options.workerTools === undefined ? {} : { workerTools: options.workerTools }),
  })
  work.use(worker)
  await untilKnown(ctx, signal)
  const agentOptions = {
    ctx,
    queue,
    bus,
    concurrency: config.agent.concurrency,
    checkpointEveryMs: config.audit.checkpointEveryMs,
    graceMs: config.limits.shutdownGraceMs,
    maintainAudit: createAuditKeeper({ config, store, keys, log }),
    applyRetention: () => deleteExpiredData(config, store.db, log),
    verifyAudit: createAuditVerifier(ctx, config),
  }
  const agent = await retryThroughOutage(() => runAgent(agentOptions), signal)
  // In parallel, since both share one grace period.
  work.defer(async () => void (await Promise.all([drain(agent), drain(worker)])))
  return { driver, sandbox: why }
}

/** Opens queue and bus, loading only the implementation in use. */
async function openTransport(store: Store, config: Config, log: Log): Promise<Transport> {
  const redis = config.redisUrl?.reveal()
  if (redis === undefined) {
    const { openPostgresTransport } = await import('./open-postgres-transport.ts')
    const isAlone = store.embedded !== undefined
    return openPostgresTransport(config, { owner: store.owner, isAlone }, log)
  }
  const { openRedisTransport } = await import('./open-redis-transport.ts')
  return openRedisTransport(config, redis, log)
}

/**
 * DECISIONS 8: recovers after a restart, when the data directory's lock proves that no other process is running. Expires
 * leases, deletes jobs of our own queue and sends them again from the rows; the worker's journal prevents started calls
 * from starting twice.
 */
async function recover(ctx: TurnContext, ownQueue: Queue | undefined): Promise<void> {
  await ownQueue?.forgetAll()
  await deleteReplicas(ctx.db, ctx.settings.worker)
  await expireAllLeases(ctx.db)
  await resetSends(ctx.db)
  await releaseAllClaims(ctx.db)
  await releaseAllUploadClaims(ctx.db)
  await releaseAllLiveClaims(ctx.db)
  await deleteAllLeases(ctx.db)
}

/** Time for the worker's hello, which is repeated every 5 s. */
const helloMs = 10_000

/** Waits for the worker's hello, since the gate needs the box of a live replica. */
async function untilKnown(ctx: TurnContext, signal: AbortSignal): Promise<void> {
  const { worker } = ctx.settings
  for (let deadline = Date.now() + helloMs; Date.now() < deadline; ) {
    const askedAt = Date.now()
    const live = await retryThroughOutage(() => findLiveReplicas(ctx.db, worker), signal)
    if (live.length > 0) return
    // The worker could not report during an outage either.
    deadline += Date.now() - askedAt
    await delay(5, undefined, { signal })
  }
  throw new Error('the worker did not report within 10 s')
}

function drain(part: AsyncDisposable): PromiseLike<void> {
  return part[Symbol.asyncDispose]()
}

/**
 * Returns the rules that `/permissions` shows. Only agents create a worker's rules, from the seed file that one of them
 * may have; a gateway that created them from defaults would lose that seed. `hasFiles`: the agents' data directory is on
 * this machine.
 */
export function shownRules(config: Config, hasFiles: boolean): ShownRules {
  const operator = operatorRules(config)
  if (permissionsPlace(config) === 'postgres') {
    return {
      operator,
      read: async (db, worker) => (await findPermissions(db, worker))?.text ?? undefined,
    }
  }
  if (!hasFiles) return { operator }
  const store = createFilePermissionsStore({ dataDir: config.dataDir, seed: '' })
  return { operator, read: (_db, worker) => readRulesFile(store.describe(worker)) }
}
