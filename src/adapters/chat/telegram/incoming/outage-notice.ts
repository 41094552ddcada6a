import type { Api } from 'grammy'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { Log } from '../../../../util/log.ts'
import { withDeadline } from '../api.ts'
import { toApiFailure } from './api-failure.ts'

const pauseMs = 60_000
const deadlineMs = 10_000
const maxConversations = 1_000
/** Tells people that their message could not be stored yet (STORE-04). Best effort: notices are not stored. */
export interface OutageNotice {
  /** Sends a notice once per message, and at most once a minute per conversation. */
  notify(place: string, updateId: number): void
}

export function createOutageNotice(api: Api, text: string, log: Log): OutageNotice {
  const lastNotices = new Map<string, { readonly at: number; readonly upTo: number }>()
  return {
    notify: (place, updateId) => {
      const last = lastNotices.get(place)
      if (last !== undefined && updateId <= last.upTo) return
      const isSoon = last !== undefined && performance.now() - last.at < pauseMs
      lastNotices.delete(place)
      lastNotices.set(place, { at: isSoon ? last.at : performance.now(), upTo: updateId })
      dropOldest(lastNotices, maxConversations)
      if (!isSoon) void send({ api, log }, place, text)
    },
  }
}

async function send(
  { api, log }: { readonly api: Api; readonly log: Log },
  place: string,
  text: string,
): Promise<void> {
  const [chat = '', topic] = place.split('/')
  const thread = topic === undefined ? {} : { message_thread_id: Number(topic) }
  try {
    await api.sendMessage(chat, text, thread, withDeadline(deadlineMs))
  } catch (error) {
    log.debug({ why: toApiFailure(error).why }, 'telegram: failed to send notice')
  }
}
