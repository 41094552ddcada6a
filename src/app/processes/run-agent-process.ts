import { createAgentIdentity } from '../../agent/agent-identity.ts'
import { rulesWarnings } from '../../agent/announce-agent.ts'
import { deleteExpiredData } from '../../agent/keep-retention.ts'
import { receiveResults, runAgent } from '../../agent/run-agent.ts'
import { english } from '../../domain/messages/messages.ts'
import { untilAborted } from '../../util/abort.ts'
import { signingBus } from '../../worker/signing-bus.ts'
import { createAuditKeeper, createAuditVerifier } from '../audit/keep-audit.ts'
import { buildContext } from '../build-core.ts'
import { idleSections } from '../idle-sections.ts'
import { loadKeys } from '../keys/load-keys.ts'
import { observe } from '../logs/observe.ts'
import { describeModels, openModels } from '../open-models.ts'
import { openRedisTransport } from '../open-redis-transport.ts'
import { openStore } from '../open-store.ts'
import { peopleForAgent } from '../people-of.ts'
import { type ProcessOptions, say } from '../settings/process-options.ts'
import { idleRules } from '../unknown-tools.ts'
import { approvalWarnings } from './approval-warnings.ts'
import { checkQueue } from './check-state.ts'
import { serveHttp } from './serve-http.ts'
import { createSignals } from './signals.ts'
import { checkDatabase, watchDatabaseState, watchQueues } from './watch-database-state.ts'

/** PROC-01: runs an agent, one of any number, until it is asked to end. */
export async function runAgentProcess(options: ProcessOptions): Promise<void> {
  const { config, environment, log, signal } = options
  const models = await openModels(config)
  const keys = await loadKeys(config)
  await using observation = await observe({ config, log, process: 'agent' })
  const { observer, metrics } = observation
  await using store = await openStore(config, environment, log)
  const url = config.redisUrl?.reveal() ?? ''
  await using transport = await openRedisTransport(config, url, log, signal)
  const { queue, bus } = transport
  const identity = createAgentIdentity()
  const signals = createSignals(queue, signingBus(bus, identity.signEvent))
  const parts = { config, db: store.db, signals, models, keys, identity, log, observer }
  const ctx = { ...buildContext(parts), people: peopleForAgent(config) }
  await using _results = await receiveResults(ctx, queue)
  await using _agent = await runAgent({
    ctx,
    queue,
    bus,
    concurrency: config.agent.concurrency,
    checkpointEveryMs: config.audit.checkpointEveryMs,
    graceMs: config.limits.shutdownGraceMs,
    maintainAudit: createAuditKeeper({ config, store, keys, log }),
    applyRetention: () => deleteExpiredData(config, store.db, log),
    verifyAudit: createAuditVerifier(ctx, config),
  })
  watchDatabaseState(metrics, store.db)
  watchQueues(metrics, queue, store.db, config.worker.name)
  const checks = { database: checkDatabase(store.db), queue: checkQueue(queue) }
  await using _http = await serveHttp({ config, log, checks, metrics })
  const warnings = [
    ...(await rulesWarnings(english, ctx.permissions, config.worker.name)),
    ...(await approvalWarnings(store.db, config)),
    ...idleRules(config),
    ...idleSections(config),
  ]
  say(
    options,
    `Agent: ready. Model: ${describeModels(models)}. Signs with key ${keys.signer.kid}.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  )
  await untilAborted(signal)
}
