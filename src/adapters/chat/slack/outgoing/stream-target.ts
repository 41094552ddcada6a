import type { StreamedTurn } from '../../outgoing/messenger.ts'
import { isPrivate, parsePlace } from './place.ts'

/** Where a stream shows, and who sees it grow. */
export interface StreamTarget {
  readonly channel: string
  readonly thread_ts: string
  readonly recipient_team_id: string
  readonly recipient_user_id: string
}

const person = /^slack:([TE][A-Z0-9]+):([UW][A-Z0-9]+)$/

/**
 * A stream is in a thread always. One person sees it grow, and all others of a channel see it once it has ended, as others
 * found: in channels everybody reads along by edits, so that only threads of direct messages have streams.
 */
export function streamTarget(turn: StreamedTurn): StreamTarget | undefined {
  const place = parsePlace(turn.place)
  const [, team, user] = person.exec(turn.askedBy ?? '') ?? []
  if (place?.thread === undefined || !isPrivate(place)) return undefined
  if (team === undefined || user === undefined) return undefined
  const { channel, thread } = place
  return { channel, thread_ts: thread, recipient_team_id: team, recipient_user_id: user }
}
