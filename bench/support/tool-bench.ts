import { runWorker } from '../../src/app/processes/start-worker.ts'
import { silentObserver } from '../../src/ports/observer.ts'
import type { Queue } from '../../src/ports/queue.ts'
import { resultsQueue, toolsQueue, type WorkerMessage } from '../../src/rules/jobs/contract.ts'
import { generateKeyPair, parseVerifyKeys } from '../../src/rules/jobs/keys.ts'
import { createSigner, type JobFacts, signJob } from '../../src/rules/jobs/sign.ts'
import { peekMessage } from '../../src/rules/jobs/verify.ts'
import { newId } from '../../src/util/ids.ts'
import { silentLog } from '../../src/util/log.ts'
import type { Bench } from './open-bench.ts'

/** A worker of its own over the product's queue and sandbox, without an agent: the bare way of a tool call. */
export interface ToolBench extends AsyncDisposable {
  /** Sends one signed command and waits for its result; rejects when it did not succeed. */
  run(command: string): Promise<void>
}

const worker = 'bench'
const ownResults = 'bench-results'

export async function openToolBench({ config, environment, product }: Bench): Promise<ToolBench> {
  const resources = new AsyncDisposableStack()
  const { queue, bus, driver } = product
  const signer = createSigner(generateKeyPair().privateKeyPem)
  const waiting = new Map<string, (message: WorkerMessage) => void>()
  resources.use(
    await queue.consume(ownResults, 1, async ({ data }) => {
      const peeked = peekMessage(data)
      if (peeked.kind !== 'ok' || !('callId' in peeked.message)) return
      if (peeked.message.type === 'result') waiting.get(peeked.message.callId)?.(peeked.message)
    }),
  )
  const running = await runWorker({
    config: { ...config, worker: { ...config.worker, name: worker } },
    environment,
    queue: withOwnResults(queue),
    bus,
    driver,
    verifyKeys: parseVerifyKeys(signer.publicKeyPem),
    workerToken: 'not asked for here',
    observer: silentObserver,
    log: silentLog,
  })
  resources.use(running)
  const workspaceId = newId()
  const boxWorkspace = driver.boxWorkspace(`${config.dataDir}/workspaces/${workspaceId}`)
  return {
    run: async (command) => {
      const facts = factsOf(workspaceId, boxWorkspace)
      const { promise, resolve } = Promise.withResolvers<WorkerMessage>()
      waiting.set(facts.callId, resolve)
      const seconds = Math.floor(Date.now() / 1_000)
      const job = signJob(signer, facts, JSON.stringify({ command }), seconds)
      await queue.add(toolsQueue(worker), `call-${facts.callId}-1`, job)
      const message = await promise
      waiting.delete(facts.callId)
      const isGood = message.type === 'result' && message.outcome.kind === 'succeeded'
      if (!isGood) throw new Error(`the command went wrong: ${JSON.stringify(message)}`)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The agent of the product knows nothing of this worker and would drop what it says. */
function withOwnResults(queue: Queue): Queue {
  return {
    add: (name, id, data) => queue.add(name === resultsQueue ? ownResults : name, id, data),
    consume: (name, concurrency, handle) => queue.consume(name, concurrency, handle),
    check: async () => undefined,
    depth: async () => 0,
    forget: (name) => queue.forget(name),
    forgetAll: () => queue.forgetAll(),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function factsOf(workspaceId: string, workspace: string): JobFacts {
  return {
    type: 'run',
    callId: newId(),
    turnId: newId(),
    epoch: 1,
    attempt: 1,
    worker,
    conversation: workspaceId,
    tool: 'bash',
    workspaceId,
    rules: { workspace, allowed: [], denyRead: [], allowRead: [], denyByRule: [], masked: [] },
    judged: [],
    timeoutMs: 10_000,
    network: false,
    caller: 'bench:person',
  }
}
