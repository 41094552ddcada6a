import { join } from 'node:path'
import type { BoxSpec } from '../ports/sandbox.ts'
import {
  cancelTopic,
  type JobHeader,
  toolsQueue,
  type WorkerMessage,
} from '../rules/jobs/contract.ts'
import { enrolmentProof } from '../rules/jobs/enrolment.ts'
import { generateKeyPair } from '../rules/jobs/keys.ts'
import { createEventSigner, type EventSigner } from '../rules/jobs/live.ts'
import { createSigner, type Signer } from '../rules/jobs/sign.ts'
import { createRedactor } from '../rules/output/create-redactor.ts'
import { allTools, createRegistry, type ToolRegistry } from '../rules/tools/registry.ts'
import { withinMs } from '../util/abort.ts'
import { sha256 } from '../util/digest.ts'
import { newId } from '../util/ids.ts'
import { BoxPool, type BoxStart, type BoxUse } from './box/box-pool.ts'
import { prepareBox } from './box/prepare-box.ts'
import { type Journal, openJournal } from './job/journal.ts'
import { Poster } from './job/poster.ts'
import { Heartbeat, Replica } from './job/replica.ts'
import { JobHandler } from './job-handler.ts'
import type { McpServers } from './mcp/mcp-servers.ts'
import { noRetries } from './retry-limits.ts'
import { signingBus } from './signing-bus.ts'
import { OneAtATime, SnapshotStore } from './snapshots/snapshot-store.ts'
import type { WorkerOptions } from './worker-options.ts'

const defaultHelloMs = 5_000
const pruneEveryMs = 600_000
/** Additional concurrency for the replica's own queue, so that a cancellation does not wait behind the call that it cancels. */
const sparePlaces = 4
/** Time for sending remaining answers after all calls have ended; the journal keeps them. */
const flushMs = 5_000

/** Worker that takes jobs until disposed; disposing lets running calls end within the grace period. */
export interface RunningWorker extends AsyncDisposable {
  readonly replica: string
}

/** Starts one replica of a worker: sweeps the journal, sends hello, then takes jobs. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const parts = await assemble(options)
  const { handler, replica, journal, poster } = parts
  const heartbeat = new Heartbeat(
    poster,
    (beat) => hello(parts, beat),
    options.helloEveryMs ?? defaultHelloMs,
  )
  // INT-36: calls of dead replicas are ended and answered before new ones start.
  const lost = await journal.sweep()
  for (const call of lost) void replica.refuse(call, 'run', { kind: 'interrupted' })
  const prune = setInterval(() => void tidy(journal, options), pruneEveryMs).unref()
  const cancels = await options.bus.subscribe(cancelTopic, (payload) => {
    void guarded(options, () => handler.takeCancel(payload))
  })
  const take = (job: { readonly data: unknown }) => guarded(options, () => handler.take(job.data))
  const { concurrency } = options.limits
  const { queue, name } = options
  const consumers = await Promise.all([
    queue.consume(toolsQueue(name), concurrency, take),
    queue.consume(toolsQueue(name, replica.id), concurrency + sparePlaces, take),
  ])
  const stop = async (): Promise<void> => {
    clearInterval(prune)
    const drained = Promise.all(consumers.map((consumer) => consumer[Symbol.asyncDispose]()))
    await withinMs(drained, options.limits.graceMs, undefined)
    handler.stopAll('the worker was stopped')
    await withinMs(drained, flushMs, undefined)
    heartbeat[Symbol.dispose]()
    await poster.tryOnce(`bye-${replica.id}`, {
      type: 'bye',
      ...replica.from(),
      beat: heartbeat.next(),
    })
    await poster.close(flushMs)
    await drained
    await cancels[Symbol.asyncDispose]()
    await Promise.all([parts.pool[Symbol.asyncDispose](), parts.servers?.[Symbol.asyncDispose]()])
    journal[Symbol.dispose]()
  }
  let stopped: Promise<void> | undefined
  return {
    replica: replica.id,
    [Symbol.asyncDispose]: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

interface Parts {
  readonly options: WorkerOptions
  readonly signer: Signer
  readonly replica: Replica
  readonly poster: Poster
  readonly journal: Journal
  readonly pool: BoxPool
  readonly servers: McpServers | undefined
  readonly registry: ToolRegistry
  readonly handler: JobHandler
}

async function assemble(options: WorkerOptions): Promise<Parts> {
  const { driver, limits, now, log, queue, observer } = options
  // The key lives as long as the process: a restarted replica is a new one.
  const signer = createSigner(generateKeyPair().privateKeyPem)
  const poster = new Poster(queue, signer, log)
  const replica = new Replica(newId(), options.name, poster, now)
  const journal = await openJournal(options.journalDir, {
    replica: replica.id,
    endLeftovers: async (dead) => void (await driver.sweep(`${dead}/`)),
  })
  const pool = new BoxPool({
    driver,
    idleTimeoutMs: limits.idleTimeoutMs,
    maxBoxes: limits.maxBoxes,
    ...(limits.startTimeoutMs === undefined ? {} : { startTimeoutMs: limits.startTimeoutMs }),
    hasCommandBox: options.commandMounts !== undefined,
    specFor: (workspaceId, use) => sessionBox(options, replica.id, workspaceId, use),
    onStart: (start) => recordBoxStart(options, replica.id, start),
  })
  const servers = await openServers(options, replica, poster)
  const registry = createRegistry(options.tools ?? allTools)
  const workerTools = options.workerTools ?? new Map()
  const boxWorkspaceOf = (id: string) => driver.boxWorkspace(options.workspaceFor(id))
  const turns = new OneAtATime()
  const handler = new JobHandler({
    worker: options.name,
    verifyKeys: options.verifyKeys,
    abilities: {
      registry,
      workerTools,
      mcp: servers,
      boxWorkspaceOf,
      commandsHaveNetwork: options.commandsHaveNetwork === true,
    },
    surroundings: {
      pool,
      snapshotsOf: (header) => snapshotsOf(options, header, turns),
      maxStreamBytes: limits.maxStreamBytes,
      maxDiagnostics: limits.maxDiagnostics,
      retries: limits.retries ?? noRetries,
      env: options.env,
    },
    pipeline: {
      redactor: createRedactor(options.knownSecrets, options.extraSecretShapes),
      warnOfSecrets: options.warnOfSecrets,
      maxOutputBytes: limits.maxOutputBytes,
      filters: options.filters ?? [],
    },
    journal,
    replica,
    bus: signingBus(options.bus, createEventSigner(signer, eventSignerOf(options, replica))),
    concurrency: limits.concurrency,
    sharesProcessIds: driver.name === 'process',
    now,
    observer,
    log,
  })
  return { options, signer, replica, poster, journal, pool, servers, registry, handler }
}

/** REACH-02: starts the MCP servers, whose client is large and loaded only for them, and tells the agents of each change. */
async function openServers(
  { mcpServers = [], openEgress, driver, version = '0', log }: WorkerOptions,
  replica: Replica,
  poster: Poster,
): Promise<McpServers | undefined> {
  if (mcpServers.length === 0) return undefined
  const { openMcpServers } = await import('./mcp/mcp-servers.ts')
  let told = 0
  const surroundings = { driver, replica: replica.id, version, log, openEgress }
  return openMcpServers(mcpServers, surroundings, (state) => {
    told += 1
    const { server, state: now, note } = state
    log.info({ server, state: now, tools: state.tools.length, note }, 'MCP server')
    const message = { type: 'server', ...replica.from(), beat: told, ...state } as const
    void poster.post(`server-${replica.id}-${told}`, { ...message, tools: [...state.tools] })
  })
}

/**
 * Returns the snapshot store of a workspace, keyed by everything that determines what a box sees: restoring a snapshot of
 * another directory would overwrite this one, and files that were hidden when it was taken would be removed.
 */
function snapshotsOf(
  { workspaceFor, mounts, snapshotsDir }: WorkerOptions,
  { workspaceId, rules }: Pick<JobHeader, 'workspaceId' | 'rules'>,
  turns: OneAtATime,
): SnapshotStore {
  const seen = [workspaceFor(workspaceId), mounts.workspaceParts ?? [], rules.masked]
  const viewHash = sha256(JSON.stringify(seen)).slice(0, 16)
  return new SnapshotStore(join(snapshotsDir, `${workspaceId}-${viewHash}`), turns)
}

function eventSignerOf({ name: worker }: WorkerOptions, { id }: Replica): EventSigner {
  return { kind: 'replica', worker, replica: id }
}

function recordBoxStart(
  { name, driver, observer }: WorkerOptions,
  replica: string,
  { workspaceId, ok, ms }: BoxStart,
): void {
  const at = { worker: name, replica, conversationId: workspaceId, driver: driver.name }
  observer.record({ kind: 'box_started', ...at, ok, ms })
}

function hello({ options, signer, replica, registry }: Parts, beat: number) {
  const { driver, name, token } = options
  const publicKey = signer.publicKeyPem
  const proof = enrolmentProof(token, { worker: name, replica: replica.id, publicKey })
  const tools = registry.tools.filter(
    ({ name: tool, runsIn }) =>
      runsIn === 'box' || (runsIn === 'worker' && options.workerTools?.has(tool) === true),
  )
  return {
    type: 'hello',
    ...replica.from(),
    beat,
    driver: driver.name,
    confined: driver.confined,
    warnings: [...driver.warnings],
    boxWorkspace: driver.boxWorkspace(options.workspaceFor('{workspace}')),
    tools: tools.map((tool) => tool.name),
    publicKey,
    proof,
  } satisfies WorkerMessage
}

/** Logs exceptions of a job, which are bugs or lost infrastructure. The call stays open and the agent sends it again. */
async function guarded(options: WorkerOptions, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    options.log.error({ error: error instanceof Error ? error.name : 'unknown' }, 'a job failed')
  }
}

async function tidy(journal: Journal, options: WorkerOptions): Promise<void> {
  await guarded(options, () => journal.prune())
}

/** Prepares a box of a session and its host directories. */
function sessionBox(
  { workspaceFor, mounts, commandMounts }: WorkerOptions,
  replica: string,
  workspaceId: string,
  use: BoxUse,
): BoxSpec {
  const workspace = workspaceFor(workspaceId)
  const key = `${replica}/${workspaceId}`
  const isApart = use === 'commands' && commandMounts !== undefined
  if (isApart) return prepareBox({ key: `${key}/commands`, workspace, ...commandMounts })
  return prepareBox({ key, workspace, ...mounts })
}
