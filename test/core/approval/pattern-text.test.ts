import { expect, test } from 'vitest'
import { patternText } from '../../../src/core/approval/build-card.ts'
import { english } from '../../../src/domain/messages/messages.ts'

const digest = 'ab12'.repeat(16)

test.each([
  ['*', '* (any arguments)'],
  [`* @${digest}`, `* @${digest} (any arguments)`],
  [`{"repo":"acme/web"} @${digest}`, `{"repo":"acme/web"} @${digest}`],
  ['git push *', 'git push *'],
  ['* x', '* x'],
])('APPR-02 APPR-23 a card says of the pattern %s: %s', (pattern, text) => {
  expect(patternText(english, pattern)).toBe(text)
})
