import type { webApi } from '@slack/bolt'
import { slackCode } from './to-delivery.ts'
import type { Chunk } from './turn-stream.ts'

/** It is over already, or was never a stream. */
const over: ReadonlySet<string> = new Set([
  'message_not_in_streaming_state',
  'stopped_by_user',
  'message_not_found',
])

/** Ends a stream, so that its message can be changed; one that is over is fine. */
export async function endStream(
  client: webApi.WebClient,
  where: { readonly channel: string; readonly ts: string },
  last: readonly Chunk[] = [],
): Promise<void> {
  const chunks = last.length > 0 ? { chunks: [...last] } : {}
  try {
    await client.chat.stopStream({ ...where, ...chunks })
  } catch (error) {
    if (!over.has(slackCode(error) ?? '')) throw error
  }
}
