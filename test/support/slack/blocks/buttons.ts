import { isRecord } from '../params.ts'

/** A button as it is shown. */
export interface SeenButton {
  readonly label: string
  readonly actionId: string
  readonly blockId: string
  readonly type: 'button' | 'icon_button' | 'feedback_buttons'
  readonly value: string | undefined
  readonly style: string | undefined
  readonly url: string | undefined
  /** What is asked before it counts. */
  readonly confirm: string | undefined
}

/** Every button of a message or modal, in order. */
export function buttonsOf(blocks: readonly unknown[]): SeenButton[] {
  return blocks.flatMap((block) => within(block, idOf(block)))
}

function idOf(block: unknown): string {
  return isRecord(block) && typeof block['block_id'] === 'string' ? block['block_id'] : ''
}

function within(value: unknown, blockId: string): SeenButton[] {
  if (Array.isArray(value)) return value.flatMap((each) => within(each, blockId))
  if (!isRecord(value)) return []
  const id = typeof value['block_id'] === 'string' ? value['block_id'] : blockId
  if (value['type'] === 'feedback_buttons') {
    const both = [value['positive_button'], value['negative_button']]
    return both.filter(isRecord).map((each) => seen(each, id, value))
  }
  if (value['type'] === 'button' || value['type'] === 'icon_button') return [seen(value, id, value)]
  return Object.values(value).flatMap((each) => within(each, id))
}

function seen(
  shown: Record<string, unknown>,
  blockId: string,
  element: Record<string, unknown>,
): SeenButton {
  const word = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const label = isRecord(shown['text']) ? word(shown['text']['text']) : undefined
  const confirm = isRecord(element['confirm']) ? element['confirm']['title'] : undefined
  return {
    label: label ?? '',
    actionId: word(element['action_id']) ?? '',
    blockId,
    type: element['type'] as SeenButton['type'],
    value: word(shown['value']),
    style: word(shown['style']),
    url: word(shown['url']),
    confirm: isRecord(confirm) ? word(confirm['text']) : undefined,
  }
}
