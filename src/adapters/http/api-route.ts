import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { sha256 } from '../../util/sha256.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { type ApiAnswer, approveBody, denyBody, explainFault } from './api-answers.ts'
import { eventStream, type Feed } from './event-stream.ts'
import { GuessLimit } from './guess-limit.ts'
import { readBody } from './read-body.ts'

/** What the API is about; a program is named by the SHA-256 of its token, and known by it at each step. */
export interface ApiHandlers {
  /** Whether it is anybody's token; `closed`: nobody has one. */
  identify(tokenSha256: string): Promise<'known' | 'unknown' | 'closed'>
  /** undefined: the token is nobody's any more. */
  answer(
    tokenSha256: string,
    answer: ApiAnswer,
  ): Promise<{ readonly applied: boolean; readonly message: string } | undefined>
  readFile(
    tokenSha256: string,
    approvalId: string,
  ): Promise<{ readonly name: string; readonly content: Uint8Array } | undefined>
  /** `full`: there are enough streams. */
  follow(tokenSha256: string): Feed | 'full' | 'closing'
}

export interface ApiRouteOptions {
  readonly handlers: ApiHandlers
  /** Whose pages may use it, such as `https://bot.example`; undefined: nobody's. */
  readonly ownOrigin: string | undefined
  readonly limit?: GuessLimit
}

interface ApiEnv {
  readonly Bindings: HttpBindings
  readonly Variables: { tokenSha256: string }
}
type ApiContext = Context<ApiEnv>

const largestBodyBytes = 65_536

/**
 * APPR-11: approvals for programs. Nothing of a body is read, and nothing of the product told, before a token was found
 * right; there are no cookies, and no page of another origin is let in.
 */
export function apiRoute({ handlers, ownOrigin, limit = new GuessLimit() }: ApiRouteOptions): Hono {
  const route = new Hono<ApiEnv>()
  route.use('/v1/*', guard(ownOrigin), admit(handlers, limit))
  route.post('/v1/tool/approve', (context) => answer(context, handlers, approveBody))
  route.post('/v1/tool/deny', (context) => answer(context, handlers, denyBody))
  route.get('/v1/tool/approvals/:id/file', (context) => sendFile(context, handlers))
  route.get('/v1/events', (context) => follow(context, handlers))
  route.all('/v1/*', (context) => refuse(context, 404, 'there is nothing here'))
  return route as unknown as Hono
}

type Refusal = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503

function refuse(context: ApiContext, status: Refusal, error: string): Response {
  // Whoever is refused may still be sending.
  if (context.req.method !== 'GET') context.header('Connection', 'close')
  return context.json({ error }, status)
}

function guard(ownOrigin: string | undefined): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    context.header('Cache-Control', 'no-store')
    context.header('X-Content-Type-Options', 'nosniff')
    const origin = context.req.header('Origin')
    const fetchSite = context.req.header('Sec-Fetch-Site')
    const problem = pageProblem({ origin, fetchSite }, ownOrigin)
    if (problem !== undefined) return refuse(context, 403, problem)
    return next()
  }
}

/** A wrong token and none are told alike. */
function admit(handlers: ApiHandlers, limit: GuessLimit): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const [, token] =
      /^Bearer +([\w-]{1,200})$/i.exec(context.req.header('Authorization') ?? '') ?? []
    const address = context.env.incoming.socket.remoteAddress ?? ''
    const tokenSha256 = sha256(token ?? '')
    if (!limit.take(address, tokenSha256)) {
      context.header('Retry-After', '60')
      return refuse(context, 429, 'too many wrong tokens came from this address')
    }
    const found = await handlers.identify(tokenSha256)
    if (found === 'closed') return refuse(context, 404, 'there is nothing here')
    if (found === 'unknown') return refuseToken(context)
    limit.right(address, tokenSha256)
    context.set('tokenSha256', tokenSha256)
    return next()
  }
}

function refuseToken(context: ApiContext): Response {
  context.header('WWW-Authenticate', 'Bearer')
  return refuse(context, 401, 'a valid token is needed: Authorization: Bearer …')
}

async function answer(
  context: ApiContext,
  handlers: ApiHandlers,
  schema: z.ZodType<ApiAnswer>,
): Promise<Response> {
  const { req } = context
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(req.header('Content-Type') ?? '')) {
    return refuse(context, 415, 'the body must be application/json')
  }
  if (req.header('Content-Encoding') !== undefined) {
    return refuse(context, 415, 'the body must not be encoded')
  }
  const text = await readBody(req.raw, largestBodyBytes)
  if (text === undefined) return refuse(context, 413, 'the body is too large')
  const parsed = schema.safeParse(tryParseJson(text))
  if (!parsed.success) return refuse(context, 400, explainFault(parsed.error))
  const answered = await handlers.answer(context.get('tokenSha256'), parsed.data)
  return answered === undefined ? refuseToken(context) : context.json(answered)
}

async function sendFile(context: ApiContext, handlers: ApiHandlers): Promise<Response> {
  const id = context.req.param('id') ?? ''
  const file = await handlers.readFile(context.get('tokenSha256'), id)
  if (file === undefined) return refuse(context, 404, 'there is no such file')
  context.header('Content-Type', 'text/plain; charset=utf-8')
  context.header('Content-Disposition', `attachment; filename="${file.name}"`)
  return context.body(new Uint8Array(file.content))
}

function follow(context: ApiContext, handlers: ApiHandlers): Response {
  // Its answer would have no body that anybody reads to the end.
  if (context.req.method === 'HEAD') return refuse(context, 405, 'only GET')
  const feed = handlers.follow(context.get('tokenSha256'))
  if (feed === 'closing') return refuse(context, 503, 'this process is ending')
  if (feed === 'full') {
    context.header('Retry-After', '10')
    return refuse(context, 429, 'there are enough streams')
  }
  context.req.raw.signal.addEventListener('abort', feed.end, { once: true })
  context.header('Content-Type', 'text/event-stream; charset=utf-8')
  context.header('Cache-Control', 'no-store, no-transform')
  context.header('X-Accel-Buffering', 'no')
  // Nothing else comes over it; a server that ends need not wait for the next request then.
  context.header('Connection', 'close')
  return context.body(eventStream(feed))
}

/** The headers by which a browser says what it asks for. */
interface BrowserHeaders {
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

/**
 * What is amiss with a request that a page in a browser made; undefined: none did, or one of `ownOrigin` itself, where that is
 * known. No page of another place may use the API, whatever token it got hold of.
 */
function pageProblem(
  { origin, fetchSite }: BrowserHeaders,
  ownOrigin: string | undefined,
): string | undefined {
  const isOwn = ownOrigin !== undefined && (origin ?? ownOrigin) === ownOrigin
  const isFromPage = origin !== undefined || (fetchSite !== undefined && fetchSite !== 'none')
  const saysSame = fetchSite === undefined || fetchSite === 'none' || fetchSite === 'same-origin'
  if (!isFromPage || (isOwn && saysSame)) return undefined
  return 'pages of other origins may not use this'
}
