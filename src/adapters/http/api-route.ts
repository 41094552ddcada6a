import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { type ApiErrorCode, apiErrors } from '../../domain/api-errors.ts'
import type { Decision } from '../../domain/approval.ts'
import { sha256 } from '../../util/digest.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { eventStream, type Feed } from './event-stream.ts'
import { GuessLimit } from './guess-limit.ts'
import { readBody } from './telegram-route.ts'

/** In UTF-16 units. */
const longestFeedback = 4_000

const id = z.string().min(1).max(200)

const question = { sessionId: id, approvalId: id }

/** The bodies of `tool.approve` and `tool.deny`. */
export const apiBodies = {
  approve: z.strictObject({ ...question, always: z.boolean().optional() }),
  deny: z.strictObject({ ...question, feedback: z.string().max(longestFeedback).optional() }),
}

const approveBody = apiBodies.approve.transform(
  ({ always, ...ids }): ApiAnswer => ({
    ...ids,
    decision: { kind: always === true ? 'always' : 'approve' },
  }),
)

const denyBody = apiBodies.deny.transform(({ feedback, ...ids }): ApiAnswer => {
  const reason = feedback?.trim()
  return { ...ids, decision: reason ? { kind: 'deny', reason } : { kind: 'deny' } }
})

/** Handlers behind the API. A client is identified by the SHA-256 of its token, and checked again on every call. */
export interface ApiHandlers {
  /** Whether the token exists; `closed`: no token exists at all. */
  identify(tokenSha256: string): Promise<'known' | 'unknown' | 'closed'>
  /** undefined: the token was revoked meanwhile. */
  answer(
    tokenSha256: string,
    answer: ApiAnswer,
  ): Promise<{ readonly applied: boolean; readonly message: string } | undefined>
  readFile(
    tokenSha256: string,
    approvalId: string,
  ): Promise<{ readonly name: string; readonly content: Uint8Array } | undefined>
  /** `full`: the limit of open streams is reached. */
  follow(tokenSha256: string): Feed | 'full' | 'closing'
}

interface ApiRouteOptions {
  readonly handlers: ApiHandlers
  /** The only browser origin that may use the API, such as `https://bot.example`; undefined: none may. */
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
 * APPR-11: approvals for API clients. No body is read and nothing about the product is revealed before the token is verified. No
 * cookies; requests from pages of another origin are refused.
 */
export function apiRoute({ handlers, ownOrigin, limit = new GuessLimit() }: ApiRouteOptions): Hono {
  const route = new Hono<ApiEnv>()
  route.use('/v1/*', guard(ownOrigin), admit(handlers, limit))
  route.post('/v1/tool/approve', (context) => answer(context, handlers, approveBody))
  route.post('/v1/tool/deny', (context) => answer(context, handlers, denyBody))
  route.get('/v1/tool/approvals/:id/file', (context) => sendFile(context, handlers))
  route.get('/v1/events', (context) => follow(context, handlers))
  route.all('/v1/*', (context) => refuse(context, 'NOT_FOUND', 'there is nothing here'))
  return route as unknown as Hono
}

function refuse(context: ApiContext, code: ApiErrorCode, error: string): Response {
  // A refused client may still be sending its body.
  if (context.req.method !== 'GET') context.header('Connection', 'close')
  return context.json({ error, code }, apiErrors[code].status)
}

function guard(ownOrigin: string | undefined): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    context.header('Cache-Control', 'no-store')
    context.header('X-Content-Type-Options', 'nosniff')
    const origin = context.req.header('Origin')
    const fetchSite = context.req.header('Sec-Fetch-Site')
    const problem = pageProblem({ origin, fetchSite }, ownOrigin)
    if (problem !== undefined) return refuse(context, 'FOREIGN_PAGE', problem)
    return next()
  }
}

/** Answers a wrong token and a missing one identically. */
function admit(handlers: ApiHandlers, limit: GuessLimit): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const [, token] =
      /^Bearer +([\w-]{1,200})$/i.exec(context.req.header('Authorization') ?? '') ?? []
    const address = context.env.incoming.socket.remoteAddress ?? ''
    const tokenSha256 = sha256(token ?? '')
    if (!limit.take(address, tokenSha256)) {
      context.header('Retry-After', '60')
      return refuse(context, 'TOO_MANY_TOKENS', 'too many wrong tokens came from this address')
    }
    const found = await handlers.identify(tokenSha256)
    if (found === 'closed') return refuse(context, 'NOT_FOUND', 'there is nothing here')
    if (found === 'unknown') return refuseToken(context)
    limit.right(address, tokenSha256)
    context.set('tokenSha256', tokenSha256)
    return next()
  }
}

function refuseToken(context: ApiContext): Response {
  context.header('WWW-Authenticate', 'Bearer')
  return refuse(context, 'TOKEN_INVALID', 'a valid token is needed: Authorization: Bearer …')
}

async function answer(
  context: ApiContext,
  handlers: ApiHandlers,
  schema: z.ZodType<ApiAnswer>,
): Promise<Response> {
  const { req } = context
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(req.header('Content-Type') ?? '')) {
    return refuse(context, 'BODY_TYPE', 'the body must be application/json')
  }
  if (req.header('Content-Encoding') !== undefined) {
    return refuse(context, 'BODY_TYPE', 'the body must not be encoded')
  }
  const text = await readBody(req.raw, largestBodyBytes)
  if (text === undefined) return refuse(context, 'BODY_TOO_LARGE', 'the body is too large')
  const parsed = schema.safeParse(tryParseJson(text))
  if (!parsed.success) return refuse(context, 'BODY_INVALID', explainFault(parsed.error))
  const answered = await handlers.answer(context.get('tokenSha256'), parsed.data)
  return answered === undefined ? refuseToken(context) : context.json(answered)
}

async function sendFile(context: ApiContext, handlers: ApiHandlers): Promise<Response> {
  const id = context.req.param('id') ?? ''
  const file = await handlers.readFile(context.get('tokenSha256'), id)
  if (file === undefined) return refuse(context, 'NOT_FOUND', 'there is no such file')
  context.header('Content-Type', 'text/plain; charset=utf-8')
  context.header('Content-Disposition', `attachment; filename="${file.name}"`)
  return context.body(new Uint8Array(file.content))
}

function follow(context: ApiContext, handlers: ApiHandlers): Response {
  // A HEAD response would have no body to stream.
  if (context.req.method === 'HEAD') return refuse(context, 'GET_ONLY', 'only GET')
  const feed = handlers.follow(context.get('tokenSha256'))
  if (feed === 'closing') return refuse(context, 'ENDING', 'this process is ending')
  if (feed === 'full') {
    context.header('Retry-After', '10')
    return refuse(context, 'TOO_MANY_STREAMS', 'there are enough streams')
  }
  context.req.raw.signal.addEventListener('abort', feed.end, { once: true })
  context.header('Content-Type', 'text/event-stream; charset=utf-8')
  context.header('Cache-Control', 'no-store, no-transform')
  context.header('X-Accel-Buffering', 'no')
  // The connection is not reused, so a stopping server need not wait for another request.
  context.header('Connection', 'close')
  return context.body(eventStream(feed))
}

/** Browser headers that tell where a request comes from. */
interface BrowserHeaders {
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

/**
 * Describes why a browser request is refused; undefined if it comes from no browser, or from `ownOrigin`. Pages of any other
 * origin are refused even with a valid token.
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

/** An API client's decision on an approval. Ids are arbitrary text; an unknown id matches no approval. */
export interface ApiAnswer {
  readonly sessionId: string
  readonly approvalId: string
  readonly decision: Decision
}

/** Names the invalid fields without repeating their values. */
function explainFault({ issues }: z.ZodError): string {
  const faults = issues.slice(0, 5).map(({ code, path }) => {
    const where = path.length === 0 ? 'the body' : path.join('.')
    return code === 'unrecognized_keys' ? `${where}: an unknown field` : `${where}: ${code}`
  })
  return faults.join('; ')
}
