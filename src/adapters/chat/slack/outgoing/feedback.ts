import type { types } from '@slack/bolt'
import type { FeedbackTokens } from '../../../../ports/chat.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { createFallbacks, type ToPlain } from './create-fallbacks.ts'
import { isForBlocks } from './to-delivery.ts'
import { toFeedback } from './to-feedback.ts'

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
