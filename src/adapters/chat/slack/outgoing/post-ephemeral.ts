import type { webApi } from '@slack/bolt'
import { z } from 'zod'
import type { AnsweredThreads } from '../answered-threads.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { type Address, isPrivate } from './address.ts'

const posted = z.object({ message_ts: z.string().min(1) })

/** Recipient of an ephemeral message. */
export interface EphemeralTarget {
  readonly place: Address
  /** A caller id. */
  readonly onlyFor: string
}

/** Shows a message to one person and no one else (THREAT-6); returns a unique id. */
export async function postEphemeral(
  client: webApi.WebClient,
  answered: AnsweredThreads,
  { place, onlyFor }: EphemeralTarget,
  { text, blocks }: SlackMessage,
): Promise<string> {
  const user = onlyFor.split(':').at(-1) ?? ''
  const where = { channel: place.channel, ...answered.threadOf(place) }
  const answer = await client.chat.postEphemeral({ ...where, user, text, blocks: [...blocks] })
  return `only-${posted.parse(answer).message_ts}`
}

/** Recipient of an ephemeral message; undefined in direct messages, where no one else is present. */
export function ephemeralTarget(
  place: Address,
  onlyFor: string | undefined,
): EphemeralTarget | undefined {
  return onlyFor === undefined || isPrivate(place) ? undefined : { place, onlyFor }
}
