import type { types } from '@slack/bolt'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { FeedbackTokens } from '../../../../ports/chat.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { createFallbacks, type ToPlain } from './create-fallbacks.ts'
import { isBlockRefusal } from './to-delivery.ts'

type Send<Result> = (
  message: SlackMessage,
  below: readonly types.ContextActionsBlock[],
) => Promise<Result>

interface FeedbackOptions {
  /** Conversion for the case that blocks are refused. */
  readonly toPlain: ToPlain
  readonly tokens: FeedbackTokens | undefined
}

/** Adds rating buttons to answers, if the workspace supports them, which is learned from the first attempt (SLACK-05). */
export class Feedback {
  readonly #messages: Messages
  readonly #withFallbacks = createFallbacks()
  #isOffered = true

  constructor(messages: Messages) {
    this.#messages = messages
  }

  get isOffered(): boolean {
    return this.#isOffered
  }

  /** Sends a message with rating buttons, or without the parts that are refused (CHAT-05). */
  async send<Result>(
    message: SlackMessage,
    { toPlain, tokens }: FeedbackOptions,
    send: Send<Result>,
  ): Promise<Result> {
    const below = toFeedback(this.#messages, tokens)
    if (below.length === 0) return this.#withFallbacks(message, toPlain, (each) => send(each, []))
    try {
      return await send(message, below)
    } catch (error) {
      if (!isBlockRefusal(error)) throw error
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

/** Rating buttons in small print (https://docs.slack.dev/reference/block-kit/blocks/context-actions-block). */
function toFeedback(
  { chat }: Messages,
  tokens: FeedbackTokens | undefined,
): types.ContextActionsBlock[] {
  if (tokens === undefined) return []
  const buttons: types.FeedbackButtons = {
    type: 'feedback_buttons',
    action_id: 'feedback',
    positive_button: toButton('👍', chat.goodAnswer, tokens.good),
    negative_button: toButton('👎', chat.badAnswer, tokens.bad),
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
