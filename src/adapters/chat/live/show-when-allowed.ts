import type { LiveSubject, TransientMessageLock } from '../../../ports/chat.ts'
import type { Chat } from '../outgoing/messenger.ts'
import type { LiveContext, LiveSpot } from './live-context.ts'
import type { ShowOutcome } from './show-outcome.ts'

export interface Showing extends LiveSpot {
  readonly about: LiveSubject
  /** Chat actions are no messages: they go whenever the chat is open. */
  readonly isPaced: boolean
}

/** What is done while nothing else is sent in the conversation. */
export type LiveAct = Parameters<TransientMessageLock['hold']>[2]

/** Shows something when chat, pace and stage allow it. Never rejects. */
export async function showWhenAllowed(
  context: LiveContext,
  showing: Showing,
  act: LiveAct,
): Promise<ShowOutcome> {
  const readyAt = comeBackAt(context, showing)
  if (readyAt !== undefined) return { kind: 'early', readyAt }
  const go = () => hold(context, showing, act)
  const going = showing.isPaced ? context.pacing.take(showing.chat, go) : go()
  context.underWay.add(going)
  return going.finally(() => context.underWay.delete(going))
}

function comeBackAt(
  { pacing, now }: LiveContext,
  { place, chat, about, isPaced }: Showing,
): number | undefined {
  const subject = about.kind === 'turn' ? about.turnId : about.approvalId
  if (isPaced) return pacing.comeBackAt(chat, `${place} ${subject}`)
  const openAt = pacing.openAt(chat)
  return openAt > now() ? openAt : undefined
}

async function hold(
  context: LiveContext,
  { place, chat, about }: Showing,
  act: LiveAct,
): Promise<ShowOutcome> {
  let shown: ShowOutcome = { kind: 'held' }
  try {
    await context.stage.hold(place, about, async (messageId, mintStop) => {
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
    context.log.debug({ about: about.kind }, 'the stage of passing messages failed')
  }
  return shown
}

function failure({ screen, pacing, log }: LiveContext, chat: Chat, error: unknown): ShowOutcome {
  try {
    const failed = screen.toDelivery(error)
    if (failed.kind === 'busy') pacing.obey(chat, failed.afterMs, failed.isOfMethod)
    return { kind: 'failed', isFinal: failed.kind === 'refused' || failed.kind === 'moved' }
  } catch {
    log.warn({}, 'showing something passing failed for an unknown reason')
    return { kind: 'failed', isFinal: true }
  }
}
