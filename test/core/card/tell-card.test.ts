import { expect, test } from 'vitest'
import { describeEnd, lastLineOf } from '../../../src/core/card/cards.ts'
import type { ToolCallRow } from '../../../src/db/schema.ts'
import { english, messagesOf } from '../../../src/domain/messages/messages.ts'

function ended(exit_code: number, output = ''): string {
  return describeEnd(english, {
    state: 'succeeded',
    envelope: '{}',
    exit_code,
    output,
  } as ToolCallRow)
}

test('CARD-05 exit codes are told in words where they say something', () => {
  expect(ended(0)).toBe('exit 0')
  expect(ended(1, 'ls: x: No such file or directory\n')).toBe('failed: exit 1, no such file')
  expect(ended(126, 'sh: ./a: Permission denied')).toBe('failed: exit 126, not executable')
  expect(ended(1, 'touch: a: Permission denied')).toBe('failed: exit 1, permission denied')
  expect(ended(137)).toBe('failed: exit 137, killed')
  expect(ended(3, 'oh')).toBe('failed: exit 3')
  expect(ended(0, 'No such file or directory')).toBe('exit 0')
})

test('CARD-05 CARD-06 a failure is told in words of the language, by its category', () => {
  const failed = { state: 'failed', error_category: 'network_error' } as ToolCallRow
  expect(describeEnd(english, failed)).toBe('failed: the network failed')
  expect(describeEnd(messagesOf('de'), failed)).toBe('gescheitert: das Netz ist ausgefallen')
  const other = { ...failed, error_category: 'of another version' }
  expect(describeEnd(english, other)).toBe('failed: it cannot work this way')
})

test('CARD-05 the last line is the last that the command printed, not our note about its exit code', () => {
  const lastOf = (output: string) => lastLineOf({ envelope: '{}', output } as ToolCallRow)
  expect(lastOf('one\nwc: x: No such file or directory\n[exit code 1]')).toBe(
    'wc: x: No such file or directory',
  )
  expect(lastOf('[exit code 1]')).toBeUndefined()
  expect(lastOf('(no output)')).toBeUndefined()
  expect(lastOf('(no output)\n[exit code 1]')).toBeUndefined()
  expect(lastLineOf({ envelope: null, output: 'secret' } as ToolCallRow)).toBeUndefined()
})
