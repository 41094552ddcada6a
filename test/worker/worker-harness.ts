import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { silentObserver } from '../../src/ports/observer.ts'
import type { CallOutcome, WorkerMessage } from '../../src/rules/jobs/contract.ts'
import { resultsQueue, toolsQueue } from '../../src/rules/jobs/contract.ts'
import { workerToken } from '../../src/rules/jobs/enrolment.ts'
import { generateKeyPair, parseVerifyKeys } from '../../src/rules/jobs/keys.ts'
import { createSigner, type JobFacts, type Signer, signJob } from '../../src/rules/jobs/sign.ts'
import { peekMessage, verifyMessage } from '../../src/rules/jobs/verify.ts'
import { newId } from '../../src/util/ids.ts'
import { silentLog } from '../../src/util/log.ts'
import { type RunningWorker, startWorker } from '../../src/worker/worker.ts'
import type { WorkerOptions } from '../../src/worker/worker-options.ts'
import { createMemoryBus, createMemoryQueue } from '../support/memory-queue.ts'
import { type ChildDriver, createChildDriver } from './child-driver.ts'

/** Secrets of agents; the worker has only the token of its own name. */
export const enrolmentSecret = 'the enrolment secret of agents'

export type Result = Extract<WorkerMessage, { type: 'result' }>

/** Agent's side of the queue, one or more replicas of a worker, and a directory for all of them. */
export async function createHarness(script?: string) {
  const root = await mkdtemp(join(tmpdir(), 'worker-'))
  const agent = createSigner(generateKeyPair().privateKeyPem)
  const queue = createMemoryQueue()
  const bus = createMemoryBus()
  const driver = createChildDriver(script)
  const workers: RunningWorker[] = []
  const workspaceFor = (id: string) => join(root, 'workspaces', id)
  let sent = 0

  const messages = (): WorkerMessage[] =>
    queue.added
      .filter((job) => job.queue === resultsQueue)
      .map((job) => peekMessage(job.data))
      .flatMap((peeked) => (peeked.kind === 'ok' ? [peeked.message] : []))
  const results = (callId?: string): Result[] =>
    messages()
      .filter((message) => message.type === 'result')
      .filter((message) => callId === undefined || message.callId === callId)

  return {
    root,
    agent,
    queue,
    bus,
    driver,
    limits,
    messages,
    results,
    async start(more: Partial<WorkerOptions> = {}): Promise<RunningWorker> {
      const worker = await startWorker({
        ...baseOptions(agent, driver, join(root, 'journal')),
        snapshotsDir: join(root, 'snapshots'),
        queue,
        bus,
        workspaceFor,
        ...more,
      })
      workers.push(worker)
      return worker
    },
    facts(more: Partial<JobFacts> = {}): JobFacts {
      const conversation = more.conversation ?? 'conversation-1'
      return {
        ...baseFacts(),
        callId: newId(),
        conversation,
        workspaceId: conversation,
        rules: rulesFor(workspaceFor(conversation)),
        ...more,
      }
    },
    sign(facts: JobFacts, args: unknown, atSeconds = now()) {
      return signJob(
        agent,
        facts,
        typeof args === 'string' ? args : JSON.stringify(args),
        atSeconds,
      )
    },
    async send(data: unknown, replica?: string): Promise<void> {
      sent += 1
      await queue.add(toolsQueue('local', replica), `call-${sent}`, data)
    },
    /** Waits for the result of a call and checks its signature against the replica's own key. */
    async answer(callId: string, count = 1): Promise<Result> {
      await expect
        .poll(() => results(callId).length, { timeout: 30_000, interval: 20 })
        .toBeGreaterThanOrEqual(count)
      const result = results(callId)[count - 1]
      if (result === undefined) throw new Error('no result')
      return result
    },
    async outcome(callId: string): Promise<CallOutcome> {
      return (await this.answer(callId)).outcome
    },
    /** Reports whether everything that was sent is signed by the key that its replica announced. */
    allSigned(): boolean {
      const keys = new Map<string, string>()
      for (const message of messages()) {
        if (message.type === 'hello') keys.set(message.replica, message.publicKey)
      }
      return queue.added
        .filter((job) => job.queue === resultsQueue)
        .every(({ data }) => {
          const peeked = peekMessage(data)
          const key = peeked.kind === 'ok' ? keys.get(peeked.message.replica) : undefined
          return key !== undefined && verifyMessage(data, key).kind === 'ok'
        })
    },
    async [Symbol.asyncDispose]() {
      queue.isAway = false
      for (const worker of workers) await worker[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}

export function now(): number {
  return Math.floor(Date.now() / 1000)
}

const limits = {
  concurrency: 4,
  maxStreamBytes: 1_000_000,
  maxDiagnostics: 50,
  maxOutputBytes: 1_000_000,
  idleTimeoutMs: 60_000,
  maxBoxes: 4,
  graceMs: 300,
}

function baseOptions(agent: Signer, driver: ChildDriver, journalDir: string) {
  return {
    name: 'local',
    driver,
    journalDir,
    mounts: { readWrite: [], readOnly: [], masked: [] },
    env: {},
    verifyKeys: parseVerifyKeys(agent.publicKeyPem),
    token: workerToken(enrolmentSecret, 'local'),
    knownSecrets: [{ kind: 'enrolment-token', value: 'enrolment-token' }],
    warnOfSecrets: true,
    limits,
    now: Date.now,
    observer: silentObserver,
    log: silentLog,
  }
}

function rulesFor(workspace: string): JobFacts['rules'] {
  return { workspace, allowed: [], denyRead: [], allowRead: [], denyByRule: [], masked: [] }
}

function baseFacts() {
  return {
    type: 'run' as const,
    turnId: 'turn-1',
    epoch: 1,
    attempt: 1,
    worker: 'local',
    tool: 'bash',
    judged: [],
    timeoutMs: 30_000,
    network: false,
    caller: 'telegram:42',
  }
}
