import type { Api } from 'grammy'
import { z } from 'zod'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Intake } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import { type Backoff, createBackoff } from '../../incoming/backoff.ts'
import { withDeadline } from '../api.ts'
import type { BotIdentity } from '../connect.ts'
import { type ApiFailure, type OnFailure, TokenRefused, toApiFailure } from './api-failure.ts'
import { createBatchTaker } from './take-batch.ts'
import { createUpdateTaker } from './take-update.ts'
import { toIncoming } from './to-incoming.ts'

const basicNames = ['message', 'callback_query'] as const

/** `stopped_message_generation` is part of Bot API 10.3; older servers should ignore it (TG-06). */
const allNames = [...basicNames, 'stopped_message_generation'] as const

/** The kinds of update that are requested from Telegram. */
export class WantedUpdates {
  #names: UpdateNames = allNames

  /** Calls with all kinds; if the server refuses an unknown one, repeats with the basic kinds, and uses those from then on. */
  async request<T>(call: (names: UpdateNames) => Promise<T>): Promise<T> {
    try {
      return await call(this.#names)
    } catch (error) {
      if (this.#names === basicNames || !concernsNames(error)) throw error
      const answer = await call(basicNames)
      this.#names = basicNames
      return answer
    }
  }
}

interface PollOptions {
  readonly api: Api
  readonly intake: Intake
  readonly messages: Messages
  readonly me: BotIdentity
  readonly log: Log
  /** Stops the poller: aborts the request under way, and waits for a row that is being stored. */
  readonly signal: AbortSignal
  /** Time for which the server may hold a request without updates, in seconds. */
  readonly pollTimeoutS?: number
  /** Called when the first request for updates has been sent. */
  readonly onReceiving?: (() => void) | undefined
  readonly onFailure?: OnFailure | undefined
}

type Fetched =
  | { readonly kind: 'updates'; readonly updates: readonly unknown[] }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }

const batchSize = 100

/** Added to the server's holding time; after it the connection is considered dead. */
const graceMs = 15_000

const conflictPauseMs = 2_000

const updateList = z.array(z.unknown())

/**
 * Fetches updates by long polling until the signal aborts (TG-01). An update is confirmed, by requesting the ones after it,
 * only after its row is committed. Rejects with `TokenRefused` if the token is invalid.
 */
export async function poll(options: PollOptions): Promise<void> {
  const { me, log, signal } = options
  const takeBatch = createBatchTaker(createUpdateTaker(options))
  const backoff = createBackoff({ log, what: 'telegram: long polling', signal })
  await deleteWebhook(options)
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
      await waitAfterFailure(options, backoff, fetched.failure)
      continue
    }
    const updates = fetched.updates.map((update) => toIncoming(update, me))
    const { next, notStored } = await takeBatch(updates, signal)
    // A server that repeats confirmed updates must not make this loop spin.
    const isStuck = updates.length > 0 && (next === undefined || next <= (offset ?? -1))
    offset = next ?? offset
    if (notStored !== undefined || isStuck)
      await backoff.wait(notStored ?? 'nothing new in the answer')
    else backoff.succeeded()
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
  const fetch = (allowed_updates: UpdateNames) => {
    const deadline = withDeadline(pollTimeoutS * 1_000 + graceMs, signal)
    return api.getUpdates({ ...query, allowed_updates }, deadline)
  }
  try {
    const answer = await wanted.request(fetch)
    return { kind: 'updates', updates: updateList.parse(answer) }
  } catch (error) {
    return { kind: 'failed', failure: toApiFailure(error) }
  }
}

async function waitAfterFailure(
  options: PollOptions,
  backoff: Backoff,
  failure: ApiFailure,
): Promise<void> {
  options.onFailure?.(failure)
  switch (failure.kind) {
    case 'token_refused':
      throw new TokenRefused()
    case 'busy':
      return backoff.wait(failure.why, failure.afterMs)
    case 'conflict':
      if (failure.isWebhook) await deleteWebhook(options)
      return backoff.wait(failure.why, conflictPauseMs)
    case 'rejected':
    case 'unreachable':
      return backoff.wait(failure.why)
  }
}

/** Deletes the webhook, which excludes long polling. Failures will show again when updates are requested. */
async function deleteWebhook({ api, log, signal }: PollOptions): Promise<void> {
  try {
    await api.deleteWebhook({}, withDeadline(graceMs, signal))
  } catch (error) {
    const failure = toApiFailure(error)
    // biome-ignore lint/style/useErrorCause: the cause holds the address, and with it the token
    if (failure.kind === 'token_refused') throw new TokenRefused()
    if (!signal.aborted) log.warn({ why: failure.why }, 'telegram: failed to delete webhook')
  }
}

type UpdateNames = typeof basicNames | typeof allNames

function concernsNames(error: unknown): boolean {
  const failure = toApiFailure(error)
  return failure.kind === 'rejected' && /update/i.test(failure.why)
}
