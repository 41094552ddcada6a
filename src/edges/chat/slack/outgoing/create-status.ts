import { webApi } from '@slack/bolt'
import type { Place } from './place.ts'

export interface Status {
  /** Shows below a thread that something is being thought of; the next message there takes it away. */
  show(place: Place): Promise<void>
}

const words = 'is thinking…'
/** Of an app or a workspace without threads that have a status. */
const unknown: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_allowed_token_type',
  'unknown_method',
  'method_deprecated',
  'feature_not_enabled',
])

/** SLACK-01: the status of a thread, where the app may set one; whether it may is known once it was tried. */
export function createStatus(client: webApi.WebClient): Status {
  let isOffered = true
  return {
    show: async ({ channel, thread }) => {
      if (!isOffered || thread === undefined) return
      try {
        const place = { channel_id: channel, thread_ts: thread }
        await client.assistant.threads.setStatus({ ...place, status: words })
      } catch (error) {
        if (!(error instanceof webApi.WebAPIPlatformError)) throw error
        if (unknown.has(error.data.error)) isOffered = false
      }
    },
  }
}
