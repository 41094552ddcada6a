import type { Hono } from 'hono'
import { type ApiHandlers, apiRoute } from '../adapters/http/api-route.ts'
import type { Config } from '../config/config.ts'
import { answerAsProgram } from '../core/approval/decide/answer-as-program.ts'
import { readQuestionFile } from '../core/approval/read-question-file.ts'
import type { Kernel } from '../core/kernel/kernel.ts'
import { findApiCaller, hasApiTokens, noteApiUse } from '../db/people/api-tokens.ts'
import type { Bus } from '../ports/bus.ts'
import { outboxTopic } from '../rules/jobs/contract.ts'
import { Notifier } from '../util/notifier.ts'
import { ApiFeeds } from './api-feeds.ts'

export interface ApiOptions {
  readonly kernel: Kernel
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
export async function createApi({ kernel, config, bus }: ApiOptions): Promise<Api> {
  const bell = new Notifier()
  // Every question goes out as a card, and its end as an edit of that.
  const subscription = await bus.subscribe(outboxTopic, () => bell.ring())
  const feeds = new ApiFeeds(kernel, bell)
  const handlers = createHandlers(kernel, feeds)
  const { api, publicUrl } = config.http
  const ownOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return {
    routes: api ? [apiRoute({ handlers, ownOrigin })] : [],
    feeds,
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  }
}

function createHandlers(kernel: Kernel, feeds: ApiFeeds): ApiHandlers {
  const { db } = kernel
  return {
    identify: async (tokenSha256) => {
      const caller = await findApiCaller(db, tokenSha256)
      if (caller === undefined) return (await hasApiTokens(db)) ? 'unknown' : 'closed'
      await noteApiUse(db, tokenSha256)
      return 'known'
    },
    answer: (tokenSha256, answer) => answerAsProgram(kernel, tokenSha256, answer),
    readFile: async (tokenSha256, approvalId) => {
      const caller = await findApiCaller(db, tokenSha256)
      return caller === undefined ? undefined : readQuestionFile(db, caller, approvalId)
    },
    follow: (tokenSha256) => feeds.open(tokenSha256),
  }
}
