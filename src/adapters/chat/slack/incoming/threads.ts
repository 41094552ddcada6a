import type { webApi } from '@slack/bolt'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Log } from '../../../../util/log.ts'
import { createRecentKeys } from '../../incoming/recent-keys.ts'
import { headOf } from '../../render/runs/cut-text.ts'
import { toDelivery } from '../outgoing/to-delivery.ts'

const maxThreads = 1_000
const longestTitle = 60
/** Commands need a space before them, as Slack takes a message that begins with a slash for its own. */
function promptsOf({ chat: { suggestions } }: Messages) {
  const { abilities, waiting, usage } = suggestions
  return [
    abilities,
    { title: waiting, message: ' /approvals' },
    { title: usage, message: ' /status' },
  ]
}

/** Offers prompts in a new thread of the app's page, and names the thread after its first message (SLACK-01). Best effort. */
export interface Threads {
  started(channel: string, thread: string): void
  message(place: string, text: string): void
}

export function createThreads(client: webApi.WebClient, messages: Messages, log: Log): Threads {
  const prompts = promptsOf(messages)
  const unnamed = createRecentKeys(maxThreads)
  const { threads } = client.assistant
  const attempt = (what: string, call: Promise<unknown>): void => {
    call.catch((error: unknown) => {
      log.debug({ why: whyOf(error) }, `slack: ${what} failed`)
    })
  }
  return {
    started: (channel, thread) => {
      unnamed.add(`${channel}/${thread}`)
      const where = { channel_id: channel, thread_ts: thread }
      attempt('setSuggestedPrompts', threads.setSuggestedPrompts({ ...where, prompts }))
    },
    message: (place, text) => {
      // A command is not a subject.
      if (!unnamed.has(place) || text.startsWith('/')) return
      unnamed.forget(place)
      const [channel = '', thread = ''] = place.split('/')
      const title = headOf(text.replaceAll(/\s+/g, ' ').trim(), longestTitle)
      if (title === '') return
      attempt('setTitle', threads.setTitle({ channel_id: channel, thread_ts: thread, title }))
    },
  }
}

function whyOf(error: unknown): string {
  try {
    return toDelivery(error).kind
  } catch {
    return 'unknown'
  }
}
