import type { Hono } from 'hono'
import { type ApiHandlers, apiRoute } from '../adapters/http/api-route.ts'
import type { Feed } from '../adapters/http/event-stream.ts'
import type { Config } from '../config/config.ts'
import { answerAsProgram, readQuestionFile } from '../core/approval/decide/answer-as-program.ts'
import { followApprovals } from '../core/approval/follow-questions.ts'
import type { CoreContext } from '../core/context.ts'
import { findApiCaller, hasApiTokens, recordApiUse } from '../db/people/api-tokens.ts'
import type { Bus } from '../ports/bus.ts'
import { outboxTopic } from '../rules/jobs/contract.ts'
import { Notifier } from '../util/notifier.ts'

/** Each stream queries the database every two seconds and uses one of the server's 200 connections. */
const mostOfOne = 8

const mostOfAll = 64

/** The open event streams of this process. Disposing ends all of them. */
class ApiFeeds implements Disposable {
  readonly #ctx: CoreContext
  readonly #bell: Notifier
  readonly #open = new Map<AbortController, string>()
  #isClosing = false

  constructor(ctx: CoreContext, bell: Notifier) {
    this.#ctx = ctx
    this.#bell = bell
  }

  /** Number of open streams. */
  get size(): number {
    return this.#open.size
  }

  open(tokenSha256: string): Feed | 'full' | 'closing' {
    if (this.#isClosing) return 'closing'
    const own = [...this.#open.values()].filter((token) => token === tokenSha256).length
    if (own >= mostOfOne || this.#open.size >= mostOfAll) return 'full'
    const ending = new AbortController()
    this.#open.set(ending, tokenSha256)
    const { signal } = ending
    return {
      items: followApprovals({ ctx: this.#ctx, tokenSha256, notifier: this.#bell, signal }),
      end: () => {
        this.#open.delete(ending)
        ending.abort()
      },
    }
  }

  [Symbol.dispose](): void {
    this.#isClosing = true
    for (const ending of this.#open.keys()) ending.abort()
    this.#open.clear()
  }
}

export interface ApiOptions {
  readonly ctx: CoreContext
  readonly config: Config
  readonly bus: Bus
}

/** The API within a process. */
export interface Api extends AsyncDisposable {
  /** Empty if the configuration turns the API off. */
  readonly routes: readonly Hono[]
  /** Disposed before the server, which would otherwise wait for the streams. */
  readonly feeds: Disposable
}

/** APPR-11: what API clients with a token may do, based on the core. */
export async function createApi({ ctx, config, bus }: ApiOptions): Promise<Api> {
  const bell = new Notifier()
  // Every approval is sent as a card and its end as an edit, so the outbox topic covers both.
  const subscription = await bus.subscribe(outboxTopic, () => bell.ring())
  const feeds = new ApiFeeds(ctx, bell)
  const handlers = createHandlers(ctx, feeds)
  const { api, publicUrl } = config.http
  const ownOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return {
    routes: api ? [apiRoute({ handlers, ownOrigin })] : [],
    feeds,
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  }
}

function createHandlers(ctx: CoreContext, feeds: ApiFeeds): ApiHandlers {
  const { db } = ctx
  return {
    identify: async (tokenSha256) => {
      const caller = await findApiCaller(db, tokenSha256)
      if (caller === undefined) return (await hasApiTokens(db)) ? 'unknown' : 'closed'
      await recordApiUse(db, tokenSha256)
      return 'known'
    },
    answer: (tokenSha256, answer) => answerAsProgram(ctx, tokenSha256, answer),
    readFile: async (tokenSha256, approvalId) => {
      const caller = await findApiCaller(db, tokenSha256)
      return caller === undefined ? undefined : readQuestionFile(db, caller, approvalId)
    },
    follow: (tokenSha256) => feeds.open(tokenSha256),
  }
}
