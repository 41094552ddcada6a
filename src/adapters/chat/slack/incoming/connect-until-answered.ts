import type { webApi } from '@slack/bolt'
import type { Log } from '../../../../util/log.ts'
import { createBackoff } from '../../incoming/backoff.ts'
import { connect, refusalOf, type SlackIdentity, SlackRefused } from '../connect.ts'
import { slackCode, toDelivery } from '../outgoing/to-delivery.ts'

export interface ConnectOptions {
  readonly log: Log
  readonly signal: AbortSignal
  readonly onTrouble?: ((why: string) => void) | undefined
}

/** Asks which app the token belongs to, until there is an answer. Throws `SlackRefused`, and the signal's reason. */
export async function connectUntilAnswered(
  client: webApi.WebClient,
  { log, signal, onTrouble }: ConnectOptions,
): Promise<SlackIdentity> {
  const pace = createBackoff({ log, signal, what: 'slack: auth.test' })
  for (;;) {
    signal.throwIfAborted()
    try {
      const me = await connect(client)
      pace.succeeded()
      return me
    } catch (error) {
      signal.throwIfAborted()
      const failed = failureOf(error)
      onTrouble?.(`no answer yet (${failed.why}); trying on.`)
      await pace.wait(failed.why, failed.afterMs)
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
