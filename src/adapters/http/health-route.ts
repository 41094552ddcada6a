import { Hono, type MiddlewareHandler } from 'hono'
import { withinMs } from '../../util/abort.ts'
import { shareInFlight } from '../../util/share-in-flight.ts'

/** As Node, PostgreSQL (SQLSTATE) and Redis give them: `ECONNREFUSED`, `28P01`, `NOAUTH`. */
const form = /^(?:[A-Z][A-Z0-9_]{2,31}|\d[\dA-Z]{4})$/

/**
 * Looks at one thing that this process cannot work without; undefined: it is well, else what is amiss in plain words, which
 * anybody may read: no addresses, no names of people, no passwords.
 */
export type Check = () => Promise<string | undefined>

/** One that takes longer says nothing good of what it looks at, in milliseconds. */
const longestCheckMs = 2_000

/**
 * PROC-05: `GET /healthz` answers 200 as long as this process answers anything; `GET /readyz` 200 when all checks are well,
 * else 503, and what each of them found. Whoever asks at once shares one look.
 */
export function healthRoute(
  checks: Readonly<Record<string, Check>>,
  hosts: MiddlewareHandler,
): Hono {
  const looks = Object.entries(checks).map(([name, check]) => ({
    name,
    // One that hangs is not begun again until it has ended.
    look: shareInFlight(check),
  }))
  const route = new Hono()
  route.get('/healthz', (context) => context.text('ok'))
  route.get('/readyz', hosts, async (context) => {
    const found = await Promise.all(
      looks.map(async ({ name, look }) => [name, await wordsOf(look)] as const),
    )
    const ready = found.every(([, words]) => words === 'ok')
    context.header('Cache-Control', 'no-store')
    return context.json({ ready, checks: Object.fromEntries(found) }, ready ? 200 : 503)
  })
  return route
}

/** The words of an error may hold an address with its password: its code alone is said. */
async function wordsOf(look: Check): Promise<string> {
  try {
    return (await withinMs(look(), longestCheckMs, 'it did not answer in time')) ?? 'ok'
  } catch (error) {
    const code = failureCode(error)
    return code === undefined ? 'it failed' : `it failed: ${code}`
  }
}

/** The code that an error, or the error that caused it, carries; it holds no address and no password. Undefined: none does. */
function failureCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && form.test(error.code)) return error.code
  // Redis puts its code before its words, and only there.
  const [first = ''] = error.message.split(' ', 1)
  if (error.name === 'ReplyError' && form.test(first)) return first
  return failureCode(error.cause)
}
