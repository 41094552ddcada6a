import type { SlackMessage } from '../../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import { checkBlocks } from '../../../../support/slack/blocks/check-blocks.ts'
import { textOf } from '../../../../support/slack/blocks/plain-text.ts'
import { notifiedBy } from '../../../../support/slack/mentions.ts'

/** A piece of text as Slack shows it. */
export interface Shown {
  readonly type: 'text' | 'link'
  readonly text: string
  readonly url?: string
}

/** What a message shows; throws what Slack refuses, and where somebody would be told of it. */
export function readBlocks({ blocks, text }: SlackMessage): {
  readonly text: string
  readonly shown: readonly Shown[]
} {
  checkBlocks(blocks)
  if (text === '') throw new Error('nothing for a notification')
  if (text.length > 4_000) throw new Error('too long for a notification')
  const { users, broadcasts, groups } = notifiedBy({ text, blocks, bareNames: true })
  const told = [...users, ...broadcasts, ...groups]
  if (told.length > 0) throw new Error(`told ${told.join()}`)
  return { text: textOf(blocks), shown: shownIn(blocks) }
}

function shownIn(value: unknown): Shown[] {
  if (Array.isArray(value)) return value.flatMap(shownIn)
  if (typeof value !== 'object' || value === null) return []
  const type: unknown = Reflect.get(value, 'type')
  if (type === 'text' || type === 'link') return [value as Shown]
  if (type === 'date') return [{ type: 'text', text: String(Reflect.get(value, 'fallback')) }]
  return Object.values(value).flatMap(shownIn)
}
