import type { Api } from 'grammy'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { Log } from '../../../../util/log.ts'
import { toApiFailure } from './api-failure.ts'
import { withDeadline } from './with-deadline.ts'

const pauseMs = 60_000
const deadlineMs = 10_000
const rememberedPlaces = 1_000
const words = 'The database is away; your message is kept and handled when it is back.'

/** Tells people that what they wrote could not be stored yet (STORE-04). Best effort: nothing is kept of it. */
export interface AwayNotice {
  /** Once a message, and at most once a minute in a conversation. */
  tell(place: string, updateId: number): void
}

export function createAwayNotice(api: Api, log: Log): AwayNotice {
  const told = new Map<string, { readonly at: number; readonly upTo: number }>()
  return {
    tell: (place, updateId) => {
      const last = told.get(place)
      if (last !== undefined && updateId <= last.upTo) return
      const isSoon = last !== undefined && performance.now() - last.at < pauseMs
      told.delete(place)
      told.set(place, { at: isSoon ? last.at : performance.now(), upTo: updateId })
      dropOldest(told, rememberedPlaces)
      if (!isSoon) void send(api, log, place)
    },
  }
}

async function send(api: Api, log: Log, place: string): Promise<void> {
  const [chat = '', topic] = place.split('/')
  const thread = topic === undefined ? {} : { message_thread_id: Number(topic) }
  try {
    await api.sendMessage(chat, words, thread, withDeadline(deadlineMs))
  } catch (error) {
    log.debug({ why: toApiFailure(error).why }, 'telegram: a notice was not sent')
  }
}
