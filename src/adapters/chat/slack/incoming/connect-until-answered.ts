import type { webApi } from '@slack/bolt'
import type { Log } from '../../../../util/log.ts'
import { createBackoff } from '../../incoming/backoff.ts'
import { connect, refusalOf, type SlackIdentity, SlackRefused } from '../connect.ts'
import { slackCode, toDelivery } from '../outgoing/to-delivery.ts'

export interface ConnectOptions {
  readonly log: Log
  readonly signal: AbortSignal
  readonly onFailure?: ((why: string) => void) | undefined
}

/** Asks for the identity of the token until there is an answer. Throws `SlackRefused`, or the signal's reason. */
export async function connectUntilAnswered(
  client: webApi.WebClient,
  { log, signal, onFailure }: ConnectOptions,
): Promise<SlackIdentity> {
  const backoff = createBackoff({ log, signal, what: 'slack: auth.test' })
  for (;;) {
    signal.throwIfAborted()
    try {
      const me = await connect(client)
      backoff.succeeded()
      return me
    } catch (error) {
      signal.throwIfAborted()
      const failed = failureOf(error)
      onFailure?.(`no answer yet (${failed.why}); trying on.`)
      await backoff.wait(failed.why, failed.afterMs)
    }
  }
}

function failureOf(error: unknown): { readonly why: string; readonly afterMs: number } {
  if (error instanceof SlackRefused) throw error
  const refused = refusalOf(slackCode(error))
  if (refused !== undefined) throw new SlackRefused(refused, { cause: error })
  const failed = toDelivery(error)
  const why = failed.kind === 'moved' ? 'it moved' : failed.why
  return { why, afterMs: failed.kind === 'busy' ? failed.afterMs : 0 }
}
