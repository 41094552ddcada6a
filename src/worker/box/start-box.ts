import type { Readable } from 'node:stream'
import type { BoxSpec, SandboxDriver } from '../../ports/sandbox.ts'
import { withinMs } from '../../util/abort.ts'
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

/** BOX-09: the driver's own words, and where to look. */
function notStarted(why: string, cause?: unknown): BoxFailure {
  const mend = mends.find(({ when }) => when.test(why))?.how ?? ''
  const look = 'on the worker’s machine, `countersign doctor` tries a box and says what is missing'
  return new BoxFailure(`The sandbox did not start: ${why} (${mend}${look})`, { cause })
}

const mends: readonly { readonly when: RegExp; readonly how: string }[] = [
  {
    when: /new namespace|uid map|user namespaces?|unshare/i,
    how: 'user namespaces are off for this program: sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0 or a profile for bwrap, or [sandbox] driver = "docker"; ',
  },
  { when: /no space left|ENOSPC|quota/i, how: 'its disk is full; ' },
  { when: /no such image|image .* not found/i, how: 'the image of boxes is gone; ' },
  { when: /cannot connect to the docker daemon/i, how: 'the engine does not run; ' },
  { when: /ENOENT|no such file/i, how: 'a program or folder of it was removed; ' },
]

/** The last line that a box has said on its standard error, when asked. */
function lastWords(stderr: Readable): () => string {
  let text = ''
  stderr.setEncoding('utf8')
  stderr.on('data', (chunk: string) => {
    text = (text + chunk).slice(-mostWords)
  })
  return () => text.trim().split('\n').at(-1)?.trim() ?? ''
}

/** In characters. */
const mostWords = 1_000
