import type { types } from '@slack/bolt'
import type { FeedbackTokens } from '../../../../ports/chat.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { createFallbacks, type ToPlain } from './create-fallbacks.ts'
import { isForBlocks } from './to-delivery.ts'

type Send<Result> = (
  message: SlackMessage,
  below: readonly types.ContextActionsBlock[],
) => Promise<Result>

interface Asking {
  /** What is sent where blocks are refused. */
  readonly toPlain: ToPlain
  readonly tokens: FeedbackTokens | undefined
}

/** SLACK-05: asks below answers whether they are good, where the workspace has that; whether it has is known once it was tried. */
export class Feedback {
  readonly #withFallbacks = createFallbacks()
  #isOffered = true

  get isOffered(): boolean {
    return this.#isOffered
  }

  /** Sends a message with what is asked below it, or without what of it is refused (CHAT-05). */
  async send<Result>(
    message: SlackMessage,
    { toPlain, tokens }: Asking,
    send: Send<Result>,
  ): Promise<Result> {
    const below = toFeedback(tokens)
    if (below.length === 0) return this.#withFallbacks(message, toPlain, (each) => send(each, []))
    try {
      return await send(message, below)
    } catch (error) {
      if (!isForBlocks(error)) throw error
    }
    let tries = 0
    const result = await this.#withFallbacks(message, toPlain, (each) => {
      tries += 1
      return send(each, [])
    })
    if (tries === 1) this.#isOffered = false
    return result
  }
}

/** Whether an answer was good, in small, below it (https://docs.slack.dev/reference/block-kit/blocks/context-actions-block). */
function toFeedback(tokens: FeedbackTokens | undefined): types.ContextActionsBlock[] {
  if (tokens === undefined) return []
  const buttons: types.FeedbackButtons = {
    type: 'feedback_buttons',
    action_id: 'feedback',
    positive_button: toButton('👍', 'This answer is good', tokens.good),
    negative_button: toButton('👎', 'This answer is bad', tokens.bad),
  }
  return [{ type: 'context_actions', elements: [buttons] }]
}

function toButton(text: string, label: string, value: string) {
  return {
    text: { type: 'plain_text' as const, text, emoji: true },
    accessibility_label: label,
    value,
  }
}
