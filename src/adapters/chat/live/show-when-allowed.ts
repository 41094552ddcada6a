import type { LiveSubject, TransientMessageLock } from '../../../ports/chat.ts'
import type { Chat } from '../outgoing/messenger.ts'
import type { LiveContext, LiveTarget, ShowOutcome } from './live-context.ts'

export interface TransientAction extends LiveTarget {
  readonly about: LiveSubject
  /** False for typing indicators, which do not count as messages. */
  readonly isPaced: boolean
}

/** Action to perform while the lock is held. */
export type LiveAct = Parameters<TransientMessageLock['hold']>[2]

/** Performs an action if chat limits and lock allow it. Never rejects. */
export async function showWhenAllowed(
  context: LiveContext,
  showing: TransientAction,
  act: LiveAct,
): Promise<ShowOutcome> {
  const readyAt = retryAt(context, showing)
  if (readyAt !== undefined) return { kind: 'early', readyAt }
  const go = () => hold(context, showing, act)
  const running = showing.isPaced ? context.pacing.take(showing.chat, go) : go()
  context.operations.add(running)
  return running.finally(() => context.operations.delete(running))
}

function retryAt(
  { pacing, now }: LiveContext,
  { place, chat, about, isPaced }: TransientAction,
): number | undefined {
  const subject = about.kind === 'turn' ? about.turnId : about.approvalId
  if (isPaced) return pacing.retryAt(chat, `${place} ${subject}`)
  const openAt = pacing.openAt(chat)
  return openAt > now() ? openAt : undefined
}

async function hold(
  context: LiveContext,
  { place, chat, about }: TransientAction,
  act: LiveAct,
): Promise<ShowOutcome> {
  let shown: ShowOutcome = { kind: 'held' }
  try {
    await context.lock.hold(place, about, async (messageId, mintStop) => {
      try {
        const id = await act(messageId, mintStop)
        shown = { kind: 'shown' }
        return id
      } catch (error) {
        shown = failure(context, chat, error)
        return messageId
      }
    })
  } catch {
    context.log.debug({ about: about.kind }, 'failed to hold the lock for transient messages')
  }
  return shown
}

function failure({ screen, pacing, log }: LiveContext, chat: Chat, error: unknown): ShowOutcome {
  try {
    const failed = screen.toDelivery(error)
    if (failed.kind === 'busy') pacing.backOff(chat, failed.afterMs, failed.isOfMethod)
    return { kind: 'failed', isFinal: failed.kind === 'refused' || failed.kind === 'moved' }
  } catch {
    log.warn({}, 'failed to show transient message: unknown error')
    return { kind: 'failed', isFinal: true }
  }
}
