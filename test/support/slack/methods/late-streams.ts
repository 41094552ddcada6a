import type { StoredMessage } from '../messages.ts'
import type { World } from '../world.ts'

/**
 * Slack ends a stream by itself: after a pause of about 30 seconds (https://github.com/vercel/chat/issues/607), and about
 * 306 seconds after its start, whatever is added, as others measured
 * (https://github.com/NousResearch/hermes-agent/pull/59010). The documentation is silent; the stricter is done here.
 */
export function endLateStream(world: World, message: StoredMessage): void {
  if (message.streaming !== 'in_progress') return
  const { streamLifeMs, streamIdleMs } = world.limits
  const now = world.now()
  const isLate = now - message.at > streamLifeMs || now - message.streamedAt > streamIdleMs
  if (isLate) message.streaming = 'errored'
}
