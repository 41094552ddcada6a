import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { hasCode } from './has-code.ts'

/** A function of one argument that runs in a thread; argument and result are copied. */
export interface ThreadWork {
  readonly module: URL
  /** The module's export. */
  readonly name: string
}

export interface ThreadLimits {
  readonly timeMs: number
  readonly heapMb: number
}

export type ThreadAnswer<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  /** The time or memory limit was reached. */
  | { readonly kind: 'exhausted' }

const program = new URL('./thread-program.ts', import.meta.url)
const ends = ['ABORT_ERR', 'ERR_WORKER_OUT_OF_MEMORY']

/** Runs a function in a new thread, terminated at its limits. Starting it takes some 50 ms. Rejects with the function's error. */
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
  // An error right at the time limit has no other listener, and would end the process.
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
