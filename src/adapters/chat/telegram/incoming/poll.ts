import type { Api } from 'grammy'
import { z } from 'zod'
import type { Intake } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import { createPace, type Pace } from '../../incoming/pace.ts'
import type { BotIdentity } from '../connect.ts'
import { type ApiFailure, TokenRefused, toApiFailure } from './api-failure.ts'
import type { OnFailure } from './api-trouble.ts'
import { createBatchTaker } from './take-batch.ts'
import { createUpdateTaker } from './take-update.ts'
import { toIncoming } from './to-incoming.ts'
import { type WantedNames, WantedUpdates } from './wanted-updates.ts'
import { withDeadline } from './with-deadline.ts'

export interface PollOptions {
  readonly api: Api
  readonly intake: Intake
  readonly me: BotIdentity
  readonly log: Log
  /** Ends the poller: the request under way at once, a row that is being stored when it is. */
  readonly signal: AbortSignal
  /** How long the server may hold a request that has nothing to answer, in seconds. */
  readonly pollTimeoutS?: number
  /** Told when the first request for updates is on its way. */
  readonly onReceiving?: (() => void) | undefined
  readonly onFailure?: OnFailure | undefined
}

type Fetched =
  | { readonly kind: 'updates'; readonly updates: readonly unknown[] }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }

const batchSize = 100
/** Beyond the time that the server may hold a request; after it the connection is taken for dead. */
const graceMs = 15_000
const conflictPauseMs = 2_000
const updateList = z.array(z.unknown())

/**
 * TG-01: fetches updates by long polling until the signal ends it. An update is confirmed, by asking for what comes
 * after it, only when its row is committed. Rejects with `TokenRefused` when the server does not know the token.
 */
export async function poll(options: PollOptions): Promise<void> {
  const { me, log, signal } = options
  const takeBatch = createBatchTaker(createUpdateTaker(options))
  const pace = createPace({ log, what: 'telegram: long polling', signal })
  await dropWebhook(options)
  const wanted = new WantedUpdates()
  let offset: number | undefined
  let isReceiving = false
  while (!signal.aborted) {
    const fetching = fetchUpdates(options, wanted, offset)
    if (!isReceiving) options.onReceiving?.()
    isReceiving = true
    const fetched = await fetching
    if (signal.aborted) return
    if (fetched.kind === 'failed') {
      await afterFailure(options, pace, fetched.failure)
      continue
    }
    const updates = fetched.updates.map((update) => toIncoming(update, me))
    const { next, kept } = await takeBatch(updates, signal)
    // A server that brings again what was confirmed must not make this loop spin.
    const isStuck = updates.length > 0 && (next === undefined || next <= (offset ?? -1))
    offset = next ?? offset
    if (kept !== undefined || isStuck) await pace.wait(kept ?? 'nothing new in the answer')
    else pace.fine()
  }
}

async function fetchUpdates(
  options: PollOptions,
  wanted: WantedUpdates,
  offset: number | undefined,
): Promise<Fetched> {
  const { api, signal, pollTimeoutS = 30 } = options
  const query = {
    ...(offset === undefined ? {} : { offset }),
    timeout: pollTimeoutS,
    limit: batchSize,
  }
  const fetch = (allowed_updates: WantedNames) => {
    const deadline = withDeadline(pollTimeoutS * 1_000 + graceMs, signal)
    return api.getUpdates({ ...query, allowed_updates }, deadline)
  }
  try {
    const answer = await wanted.ask(fetch)
    return { kind: 'updates', updates: updateList.parse(answer) }
  } catch (error) {
    return { kind: 'failed', failure: toApiFailure(error) }
  }
}

async function afterFailure(options: PollOptions, pace: Pace, failure: ApiFailure): Promise<void> {
  options.onFailure?.(failure)
  switch (failure.kind) {
    case 'token_refused':
      throw new TokenRefused()
    case 'busy':
      return pace.wait(failure.why, failure.afterMs)
    case 'conflict':
      if (failure.isWebhook) await dropWebhook(options)
      return pace.wait(failure.why, conflictPauseMs)
    case 'rejected':
    case 'unreachable':
      return pace.wait(failure.why)
  }
}

/** Long polling and a webhook exclude each other. What fails here shows again when updates are asked for. */
async function dropWebhook({ api, log, signal }: PollOptions): Promise<void> {
  try {
    await api.deleteWebhook({}, withDeadline(graceMs, signal))
  } catch (error) {
    const failure = toApiFailure(error)
    // biome-ignore lint/style/useErrorCause: the cause holds the address, and with it the token
    if (failure.kind === 'token_refused') throw new TokenRefused()
    if (!signal.aborted) log.warn({ why: failure.why }, 'telegram: the webhook was not taken away')
  }
}
