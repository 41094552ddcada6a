import type { types } from '@slack/bolt'
import type { SendOptions, SentButton } from '../../outgoing/messenger.ts'
import { cutText } from '../../render/runs/cut-text.ts'

/** Slack allows 75 characters and shows about 30. */
const longestLabel = 75
const styles = { success: 'primary', danger: 'danger' } as const

/** Converts rows of buttons to blocks; the value of each is the token that a tap sends. */
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
