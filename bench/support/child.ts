import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'

const word = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), postmaster: z.number() }),
  z.object({ kind: z.literal('done') }),
])
type Word = z.infer<typeof word>

/** A Node process of ours that says when it is ready. Disposing lets it end by itself and waits for it. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  readonly postmaster: number
  /** From its start to its word that it is ready. */
  readonly readyMs: number
  /** Tells it something and waits until it is done with it. */
  tell(message: object): Promise<void>
}

export async function startChild(script: URL, args: readonly string[] = []): Promise<Child> {
  const start = performance.now()
  const child = fork(script, args, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const said = await hear(child)
  const readyMs = performance.now() - start
  if (said.kind !== 'ready' || child.pid === undefined) throw new Error('the child is not ready')
  return {
    pid: child.pid,
    postmaster: said.postmaster,
    readyMs,
    tell: async (message) => {
      const heard = hear(child)
      child.send(message)
      await heard
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** The next word of a child; rejects when it ends before. */
async function hear(child: ChildProcess): Promise<Word> {
  const over = new AbortController()
  const ended = once(child, 'exit', { signal: over.signal }).then(([code]) => {
    throw new Error(`the child ended with ${code}`)
  })
  try {
    const [said] = await Promise.race([once(child, 'message', { signal: over.signal }), ended])
    return word.parse(said)
  } finally {
    over.abort()
    ended.catch(() => undefined)
  }
}
