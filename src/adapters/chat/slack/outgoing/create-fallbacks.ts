import { hasDiffView, withoutDiffView } from '../render/diff-view.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { isForBlocks } from './to-delivery.ts'

type Send<Result> = (message: SlackMessage) => Promise<Result>
export type ToPlain = (message: SlackMessage) => SlackMessage
export type Fallbacks = <Result>(
  message: SlackMessage,
  toPlain: ToPlain,
  send: Send<Result>,
) => Promise<Result>

/**
 * CHAT-05: where blocks are refused, the words go without looks; buttons stay. SLACK-05: where it is the diff view that is
 * refused, diffs go as code, and are not tried as more again.
 */
export function createFallbacks(): Fallbacks {
  let hasDiffs = true
  return async (given, toPlain, send) => {
    const message = hasDiffs ? given : withoutDiffView(given)
    try {
      return await send(message)
    } catch (error) {
      if (!isForBlocks(error)) throw error
    }
    const plain = toPlain(message)
    if (!hasDiffView(message)) return send(plain)
    try {
      const result = await send(withoutDiffView(message))
      hasDiffs = false
      return result
    } catch (error) {
      if (!isForBlocks(error)) throw error
      return send(plain)
    }
  }
}
