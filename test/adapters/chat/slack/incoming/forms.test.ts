import type { types } from '@slack/bolt'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readMetadata, toModal } from '../../../../../src/adapters/chat/slack/incoming/forms.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { checkView } from '../../../../support/slack/blocks/check-view.ts'
import '../../../../support/run/fuzz-seed.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'

const behind = { place: 'C0GENERAL1/1.1', messageId: '1.2', token: 'x'.repeat(43) }

function fieldOf(present: string) {
  const view = toModal(english, { kind: 'edit', number: 3, present }, behind)
  checkView(view)
  const [block] = view.blocks as readonly types.InputBlock[]
  if (block?.element.type !== 'plain_text_input') throw new Error('no field')
  return { initial: block.element.initial_value, hint: block.hint?.text }
}

test('SLACK-02 a denial asks for an optional reason', () => {
  const view = toModal(english, { kind: 'reason', number: 3 }, behind)
  checkView(view)
  expect(view).toMatchObject({
    title: { text: 'Deny approval 3' },
    submit: { text: 'Deny' },
    blocks: [{ type: 'input', optional: true }],
  })
})

test('APPR-14 an edit starts with the present text if it fits into a field, and otherwise says so', () => {
  expect(fieldOf('rm -rf build')).toEqual({ initial: 'rm -rf build' })
  expect(fieldOf('x'.repeat(3_000)).initial).toHaveLength(3_000)
  const hint = 'It cannot be shown here: write all of it.'
  expect(fieldOf('x'.repeat(3_001))).toEqual({ hint })
  expect(fieldOf('')).toEqual({ hint })
})

test('SLACK-02 metadata of a form is returned unchanged, and foreign metadata is refused', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 40 })
  fc.assert(
    fc.property(fc.record({ place: text, messageId: text, token: text }), (metadata) => {
      const { private_metadata } = toModal(english, { kind: 'reason', number: 1 }, metadata)
      expect(readMetadata(private_metadata ?? '')).toEqual(metadata)
    }),
  )
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (other) => {
      expect(readMetadata(other)).toBeUndefined()
    }),
  )
})

test('SLACK-02 Slack accepts a form about anything', () => {
  const numbers = fc.nat()
  const present = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(numbers, present, (number, text) => {
      checkView(toModal(english, { kind: 'reason', number }, behind))
      checkView(toModal(english, { kind: 'edit', number, present: text }, behind))
    }),
  )
})
