import type { types } from '@slack/bolt'
import { isRecord } from '../params.ts'

/** Something that a modal asks. */
export interface ModalField {
  readonly blockId: string
  readonly actionId: string
  readonly label: string
  readonly type: string
  readonly optional: boolean
  readonly initial: string | undefined
  readonly maxLength: number | undefined
}

export function fieldsOf(view: types.ModalView): ModalField[] {
  const blocks: readonly unknown[] = view.blocks
  return blocks.filter(isRecord).flatMap((block) => {
    const { element, label } = block
    if (block['type'] !== 'input' || !isRecord(element)) return []
    const initial = element['initial_value'] ?? chosen(element['initial_option'])
    return [
      {
        blockId: String(block['block_id']),
        actionId: String(element['action_id']),
        label: isRecord(label) ? String(label['text']) : '',
        type: String(element['type']),
        optional: block['optional'] === true,
        initial: typeof initial === 'string' ? initial : undefined,
        maxLength: typeof element['max_length'] === 'number' ? element['max_length'] : undefined,
      },
    ]
  })
}

function chosen(option: unknown): unknown {
  return isRecord(option) ? option['value'] : undefined
}

/** `view.state.values` of what somebody filled in; values by label, action id or block id. */
export function stateOf(
  view: types.ModalView,
  values: Readonly<Record<string, string>>,
): Record<string, Record<string, unknown>> {
  const fields = fieldsOf(view)
  for (const name of Object.keys(values)) {
    if (!fields.some((field) => namesOf(field).includes(name))) {
      throw new Error(`the modal has no field "${name}"`)
    }
  }
  const filled = fields.map((field) => {
    const name = namesOf(field).find((each) => each in values)
    const value = name === undefined ? field.initial : values[name]
    return [field.blockId, { [field.actionId]: answer(field, value) }] as const
  })
  return Object.fromEntries(filled)
}

function namesOf({ label, actionId, blockId }: ModalField): string[] {
  return [label, actionId, blockId]
}

function answer(field: ModalField, value: string | undefined): Record<string, unknown> {
  const empty = value === undefined || value === ''
  if (empty && !field.optional) throw new Error(`"${field.label}" must be filled`)
  // What people write is as long as Slack lets it be: 3,000 characters unless the field says less.
  if ((value?.length ?? 0) > (field.maxLength ?? 3000))
    throw new Error(`"${field.label}" is too long`)
  if (field.type === 'plain_text_input') return { type: field.type, value: empty ? null : value }
  const option = { text: { type: 'plain_text', text: value }, value }
  return { type: field.type, selected_option: empty ? null : option }
}
