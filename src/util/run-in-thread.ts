import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { hasCode } from './has-code.ts'

/** A function of one argument that needs nothing of its process: both it takes and what it answers are copied. */
export interface ThreadWork {
  readonly module: URL
  /** Under which the module exports it. */
  readonly name: string
}

export interface ThreadLimits {
  readonly timeMs: number
  readonly heapMb: number
}

export type ThreadAnswer<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  /** The time was over, or the memory full. */
  | { readonly kind: 'exhausted' }

const program = new URL('./thread-program.ts', import.meta.url)
const ends = ['ABORT_ERR', 'ERR_WORKER_OUT_OF_MEMORY']

/**
 * Does it in a thread of its own, while this one goes on with other work; ended at its limits, whatever it is at. It costs a start
 * of some 50 ms. Rejects with what the function throws.
 */
export async function runInThread<Answer>(
  { module, name }: ThreadWork,
  input: unknown,
  { timeMs, heapMb }: ThreadLimits,
): Promise<ThreadAnswer<Answer>> {
  const thread = new Worker(program, {
    name,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    workerData: { module: module.href, name, input },
  })
  // One that fails just as its time is over is listened to by nobody else, and that would end the process.
  thread.on('error', () => undefined)
  try {
    const said = await once(thread, 'message', { signal: AbortSignal.timeout(timeMs) })
    return { kind: 'done', answer: said[0] }
  } catch (error) {
    if (!ends.some((code) => hasCode(error, code))) throw error
    return { kind: 'exhausted' }
  } finally {
    await thread.terminate()
  }
}
