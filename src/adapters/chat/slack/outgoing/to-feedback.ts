import type { types } from '@slack/bolt'
import type { FeedbackTokens } from '../../../../ports/chat.ts'

/** Whether an answer was good, in small, below it (https://docs.slack.dev/reference/block-kit/blocks/context-actions-block). */
export function toFeedback(tokens: FeedbackTokens | undefined): types.ContextActionsBlock[] {
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
