import { randomBytes } from 'node:crypto'
import type { Block } from '../messages.ts'
import { isRecord } from '../params.ts'

/** Blocks as Slack keeps them: every block and everything that can be used has an id. */
export function withIds(blocks: readonly unknown[]): readonly Block[] {
  const given = structuredClone(blocks) as Record<string, unknown>[]
  for (const block of given) {
    block['block_id'] ??= newId()
    nameActions(block)
  }
  return given as unknown as readonly Block[]
}

const usable = new Set([
  'button',
  'icon_button',
  'feedback_buttons',
  'overflow',
  'static_select',
  'checkboxes',
  'radio_buttons',
  'plain_text_input',
])

function nameActions(value: unknown): void {
  if (Array.isArray(value)) {
    for (const each of value) nameActions(each)
    return
  }
  if (!isRecord(value)) return
  if (usable.has(String(value['type']))) value['action_id'] ??= newId()
  for (const each of Object.values(value)) nameActions(each)
}

function newId(): string {
  return randomBytes(4).toString('base64url').slice(0, 5)
}
