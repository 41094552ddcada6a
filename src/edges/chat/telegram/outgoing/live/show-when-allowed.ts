import type { LiveSubject } from '../../../../../ports/chat.ts'
import type { Place } from '../place.ts'
import { toDelivery, waitOf } from '../to-delivery.ts'
import type { LiveContext } from './live-context.ts'
import type { ShowOutcome } from './show-outcome.ts'

export interface Showing {
  readonly name: string
  readonly place: Place
  readonly about: LiveSubject
  /** Chat actions are no messages: they go whenever the chat is open. */
  readonly isPaced: boolean
}

/** Shows something when chat, pace and stage allow it. Never rejects. */
export async function showWhenAllowed(
  context: LiveContext,
  showing: Showing,
  act: (messageId: string | undefined) => Promise<string | undefined>,
): Promise<ShowOutcome> {
  const readyAt = comeBackAt(context, showing)
  if (readyAt !== undefined) return { kind: 'early', readyAt }
  const go = () => hold(context, showing, act)
  const going = showing.isPaced ? context.pacing.take(showing.place, go) : go()
  context.underWay.add(going)
  return going.finally(() => context.underWay.delete(going))
}

function comeBackAt(
  { pacing, now }: LiveContext,
  { name, place, about, isPaced }: Showing,
): number | undefined {
  const subject = about.kind === 'turn' ? about.turnId : about.approvalId
  if (isPaced) return pacing.comeBackAt(place, `${name} ${subject}`)
  const openAt = pacing.openAt(place)
  return openAt > now() ? openAt : undefined
}

async function hold(
  context: LiveContext,
  { name, place, about }: Showing,
  act: (messageId: string | undefined) => Promise<string | undefined>,
): Promise<ShowOutcome> {
  let shown: ShowOutcome = { kind: 'held' }
  try {
    await context.stage.hold(name, about, async (messageId) => {
      try {
        const id = await act(messageId)
        shown = { kind: 'shown' }
        return id
      } catch (error) {
        shown = failure(context, place, error)
        return messageId
      }
    })
  } catch {
    context.log.debug({ about: about.kind }, 'the stage of passing messages failed')
  }
  return shown
}

function failure(context: LiveContext, place: Place, error: unknown): ShowOutcome {
  const waitMs = waitOf(error)
  if (waitMs !== undefined) context.pacing.block(place, waitMs)
  return { kind: 'failed', isFinal: isFinal(context, error) }
}

function isFinal(context: LiveContext, error: unknown): boolean {
  try {
    const { kind } = toDelivery(error)
    return kind === 'refused' || kind === 'moved'
  } catch {
    context.log.warn({}, 'showing something passing failed for an unknown reason')
    return true
  }
}
