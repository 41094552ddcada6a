import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toActions } from '../../../../../src/adapters/chat/slack/outgoing/to-actions.ts'
import { checkBlocks } from '../../../../support/slack/blocks/check-blocks.ts'
import '../../../../support/run/fuzz-seed.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'

test('SLACK-02 Approve is primary, Deny is danger, and each button has its own token', () => {
  const blocks = toActions([
    [
      { action: 'approve', label: 'Approve', style: 'success', token: 'one' },
      { action: 'always', label: 'Always', token: 'two' },
      { action: 'deny', label: 'Deny', style: 'danger', token: 'three' },
    ],
    [{ action: 'edit', label: 'Edit', token: 'four' }],
  ])
  checkBlocks(blocks)
  const shown = blocks.map(({ elements }) =>
    elements.map((button) =>
      button.type === 'button' ? [button.text.text, button.style, button.value] : [],
    ),
  )
  expect(shown).toEqual([
    [
      ['Approve', 'primary', 'one'],
      ['Always', undefined, 'two'],
      ['Deny', 'danger', 'three'],
    ],
    [['Edit', undefined, 'four']],
  ])
})

test('SLACK-02 without buttons there are no blocks, so that an edit removes them', () => {
  expect(toActions()).toEqual([])
  expect(toActions([])).toEqual([])
})

test('SLACK-02 any label is accepted by Slack, and ids are unique', () => {
  const label = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 }),
    fc.constantFrom('👩‍👩‍👧', '😀', '\u0301').map((part) => part.repeat(80)),
    fc.constant(''),
  )
  const button = label.map((words) => ({ action: 'revoke', label: words, token: 'x'.repeat(43) }))
  const rows = fc.array(fc.array(button, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  fc.assert(fc.property(rows, (all) => void checkBlocks(toActions(all))))
})
