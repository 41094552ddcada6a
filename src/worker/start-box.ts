import type { BoxSpec, SandboxDriver } from '../ports/sandbox.ts'
import { withinMs } from '../util/within-ms.ts'
import { BoxFailure } from './box-failure.ts'
import { ExecutorClient, type ExecutorClientOptions } from './executor-client.ts'

const defaultTimeoutMs = 60_000

export interface StartBoxOptions extends ExecutorClientOptions {
  readonly driver: SandboxDriver
  /** 60 s when missing. */
  readonly startTimeoutMs?: number
}

/**
 * Starts a box and waits until its executor is ready. One that is late is ended, also when it comes to be only then:
 * `onLate` is told of what settles when it is gone. Rejects with BoxFailure then.
 */
export async function startBox(
  options: StartBoxOptions,
  spec: BoxSpec,
  onLate: (gone: Promise<unknown>) => void,
): Promise<ExecutorClient> {
  const timeoutMs = options.startTimeoutMs ?? defaultTimeoutMs
  const late = `The sandbox did not start within ${timeoutMs / 1000} s`
  const deadline = performance.now() + timeoutMs
  const starting = options.driver.start(spec)
  const box = await withinMs(starting, timeoutMs, undefined)
  if (box === undefined) {
    onLate(starting.then((done) => done.kill()))
    throw new BoxFailure(late)
  }
  const client = new ExecutorClient(box, options)
  if (await client.isReady(Math.max(0, deadline - performance.now()))) return client
  if (!client.isDead) {
    onLate(box.kill())
    throw new BoxFailure(late)
  }
  const { code, signal } = await box.exited
  throw new Error(`the executor did not start: ${signal ?? `exit code ${code}`}`)
}
