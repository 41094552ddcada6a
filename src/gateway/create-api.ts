import type { Hono } from 'hono'
import { type ApiHandlers, apiRoute } from '../adapters/http/api-route.ts'
import type { Feed } from '../adapters/http/event-stream.ts'
import type { Config } from '../config/config.ts'
import { answerAsProgram } from '../core/approval/decide/answer-as-program.ts'
import { followQuestions } from '../core/approval/follow-questions.ts'
import { readQuestionFile } from '../core/approval/read-question-file.ts'
import type { CoreContext } from '../core/context.ts'
import { findApiCaller, hasApiTokens, recordApiUse } from '../db/people/api-tokens.ts'
import type { Bus } from '../ports/bus.ts'
import { outboxTopic } from '../rules/jobs/contract.ts'
import { Notifier } from '../util/notifier.ts'

/** Each costs a look at the database every two seconds, and a connection of the server, of which there are 200. */
const mostOfOne = 8

const mostOfAll = 64

/** The streams of a process that programs follow. Disposing ends all of them. */
class ApiFeeds implements Disposable {
  readonly #ctx: CoreContext
  readonly #bell: Notifier
  readonly #open = new Map<AbortController, string>()
  #isClosing = false

  constructor(ctx: CoreContext, bell: Notifier) {
    this.#ctx = ctx
    this.#bell = bell
  }

  /** How many are open. */
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
      items: followQuestions({ ctx: this.#ctx, tokenSha256, bell: this.#bell, signal }),
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

/** The API as a part of a process. */
export interface Api extends AsyncDisposable {
  /** None where the configuration turns it off. */
  readonly routes: readonly Hono[]
  /** Ended before the server is, which would else wait for them. */
  readonly feeds: Disposable
}

/** APPR-11: what programs with a token may do, over the core. */
export async function createApi({ ctx, config, bus }: ApiOptions): Promise<Api> {
  const bell = new Notifier()
  // Every question goes out as a card, and its end as an edit of that.
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
