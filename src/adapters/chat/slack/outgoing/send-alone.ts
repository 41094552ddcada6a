import type { webApi } from '@slack/bolt'
import { z } from 'zod'
import type { AnsweredThreads } from '../answered-threads.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { isPrivate, type Place } from './place.ts'

const posted = z.object({ message_ts: z.string().min(1) })

/** What one person alone is to see, and where. */
export interface Alone {
  readonly place: Place
  /** A caller id. */
  readonly onlyFor: string
}

/** THREAT-6: shows a message to one person alone, and never to anybody else; answers an id that tells it from other messages. */
export async function sendAlone(
  client: webApi.WebClient,
  answered: AnsweredThreads,
  { place, onlyFor }: Alone,
  { text, blocks }: SlackMessage,
): Promise<string> {
  const user = onlyFor.split(':').at(-1) ?? ''
  const where = { channel: place.channel, ...answered.threadOf(place) }
  const answer = await client.chat.postEphemeral({ ...where, user, text, blocks: [...blocks] })
  return `only-${posted.parse(answer).message_ts}`
}

/** Whom alone a message is for, where others are; in direct messages nobody else is. */
export function aloneIn(place: Place, onlyFor: string | undefined): Alone | undefined {
  return onlyFor === undefined || isPrivate(place) ? undefined : { place, onlyFor }
}
