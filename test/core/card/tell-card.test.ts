import { expect, test } from 'vitest'
import { describeEnd } from '../../../src/core/card/tell-card.ts'
import type { ToolCallRow } from '../../../src/db/schema.ts'

function ended(exit_code: number, output = ''): string {
  return describeEnd({ state: 'succeeded', envelope: '{}', exit_code, output } as ToolCallRow)
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
