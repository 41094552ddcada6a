import type { Readable } from 'node:stream'
import type { BoxSpec, SandboxDriver } from '../../ports/sandbox.ts'
import { withinMs } from '../../util/abort.ts'
import { ExecutorClient, type ExecutorClientOptions } from './executor-client.ts'

/** No box was available for a call. The message is for the caller. */
export class BoxFailure extends Error {
  override readonly name = 'BoxFailure'
}

const defaultTimeoutMs = 60_000

interface StartBoxOptions extends ExecutorClientOptions {
  readonly driver: SandboxDriver
  /** 60 s by default. */
  readonly startTimeoutMs?: number
}

/**
 * Starts a box and waits until its executor is ready. Kills it if it is late, even if it starts later; `onLate` gets the
 * promise of its end. Then rejects with BoxFailure.
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
  const box = await withinMs(starting, timeoutMs, undefined).catch((cause: unknown) => {
    throw notStarted(cause instanceof Error ? cause.message : String(cause), cause)
  })
  if (box === undefined) {
    onLate(starting.then((done) => done.kill()))
    throw new BoxFailure(late)
  }
  const words = lastWords(box.stderr)
  const client = new ExecutorClient(box, options)
  if (await client.isReady(Math.max(0, deadline - performance.now()))) return client
  if (!client.isDead) {
    onLate(box.kill())
    throw new BoxFailure(late)
  }
  const { code, signal } = await box.exited
  throw notStarted(words() || `its program ended with ${signal ?? `exit code ${code}`}`)
}

/** BOX-09: builds the error with the driver's message and a hint. */
function notStarted(why: string, cause?: unknown): BoxFailure {
  const remedy = remedies.find(({ when }) => when.test(why))?.how ?? ''
  const look = 'on the worker’s machine, `countersign doctor` tries a box and says what is missing'
  return new BoxFailure(`The sandbox did not start: ${why} (${remedy}${look})`, { cause })
}

const remedies: readonly { readonly when: RegExp; readonly how: string }[] = [
  {
    when: /new namespace|uid map|user namespaces?|unshare/i,
    how: 'user namespaces are off for this program: sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0 or a profile for bwrap, or [sandbox] driver = "docker"; ',
  },
  { when: /no space left|ENOSPC|quota/i, how: 'its disk is full; ' },
  { when: /no such image|image .* not found/i, how: 'the image of boxes is gone; ' },
  { when: /cannot connect to the docker daemon/i, how: 'the engine does not run; ' },
  { when: /ENOENT|no such file/i, how: 'a program or folder of it was removed; ' },
]

/** Returns a reader of the last line on the box's standard error. */
function lastWords(stderr: Readable): () => string {
  let text = ''
  stderr.setEncoding('utf8')
  stderr.on('data', (chunk: string) => {
    text = (text + chunk).slice(-mostWords)
  })
  return () => text.trim().split('\n').at(-1)?.trim() ?? ''
}

/** Length in characters. */
const mostWords = 1_000
