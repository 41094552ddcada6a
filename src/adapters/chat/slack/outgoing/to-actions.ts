import type { types } from '@slack/bolt'
import type { SendOptions, SentButton } from '../../outgoing/messenger.ts'
import { cutText } from '../../render/runs/cut-text.ts'

/** Slack takes 75 characters, and shows about 30. */
const longestLabel = 75
const styles = { success: 'primary', danger: 'danger' } as const

/** Rows of buttons as blocks, with what a tap sends as the value of each. */
export function toActions(rows: SendOptions['buttons'] = []): types.ActionsBlock[] {
  return rows.map((row, at) => ({
    type: 'actions',
    elements: row.map((button, index) => toButton(button, `${button.action}_${at}_${index}`)),
  }))
}

function toButton({ label, token, style }: SentButton, id: string): types.Button {
  const text = cutText(label, longestLabel) || '·'
  return {
    type: 'button',
    text: { type: 'plain_text', text, emoji: false },
    action_id: id,
    value: token,
    ...(style !== undefined && { style: styles[style] }),
  }
}
