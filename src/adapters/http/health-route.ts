import { Hono, type MiddlewareHandler } from 'hono'
import { withinMs } from '../../util/abort.ts'
import { shareInFlight } from '../../util/each-of.ts'

/** Error codes of Node, PostgreSQL (SQLSTATE) and Redis: `ECONNREFUSED`, `28P01`, `NOAUTH`. */
const form = /^(?:[A-Z][A-Z0-9_]{2,31}|\d[\dA-Z]{4})$/

/**
 * Checks one dependency of this process. Undefined: healthy; else the problem in plain words. Anyone may read it: no addresses,
 * names of people or passwords.
 */
export type Check = () => Promise<string | undefined>

/** A check that takes longer counts as failed, in milliseconds. */
const longestCheckMs = 2_000

/**
 * PROC-05: `GET /healthz` answers 200 while the process responds; `GET /readyz` answers 200 when all checks pass, else 503, with
 * each result. Concurrent requests share one run.
 */
export function healthRoute(
  checks: Readonly<Record<string, Check>>,
  hosts: MiddlewareHandler,
): Hono {
  const looks = Object.entries(checks).map(([name, check]) => ({
    name,
    // A hanging check is not started again before it ends.
    look: shareInFlight(check),
  }))
  const route = new Hono()
  route.get('/healthz', (context) => context.text('ok'))
  route.get('/readyz', hosts, async (context) => {
    const found = await Promise.all(
      looks.map(async ({ name, look }) => [name, await runCheck(look)] as const),
    )
    const ready = found.every(([, words]) => words === 'ok')
    context.header('Cache-Control', 'no-store')
    return context.json({ ready, checks: Object.fromEntries(found) }, ready ? 200 : 503)
  })
  return route
}

/** Runs a check; of an error only the code is shown, as its message may hold an address with a password. */
async function runCheck(look: Check): Promise<string> {
  try {
    return (await withinMs(look(), longestCheckMs, 'it did not answer in time')) ?? 'ok'
  } catch (error) {
    const code = failureCode(error)
    return code === undefined ? 'it failed' : `it failed: ${code}`
  }
}

/** The code of an error or of its cause, which holds no address or password; undefined if there is none. */
function failureCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && form.test(error.code)) return error.code
  // Redis puts the code at the start of the message only.
  const [first = ''] = error.message.split(' ', 1)
  if (error.name === 'ReplyError' && form.test(first)) return first
  return failureCode(error.cause)
}
