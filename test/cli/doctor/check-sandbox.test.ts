import { expect, test } from 'vitest'
import { userOf } from '../../../src/cli/doctor/check-sandbox.ts'

test('CLI-01 THREAT-31 where root starts boxes, doctor says as whom their commands run', () => {
  const isConfined = { confined: true } as const
  const before = "; no command runs as root: a workspace's commands run as "
  expect(userOf({ name: 'process', ...isConfined }, true)).toBe(`${before}a user of its own`)
  for (const name of ['bubblewrap', 'docker'] as const)
    expect(userOf({ name, ...isConfined }, true)).toBe(
      `${before}its owner, and one of root's is given to a user of its own`,
    )
  expect(userOf({ name: 'bubblewrap', ...isConfined }, false)).toBe('')
  expect(userOf({ name: 'process', confined: false }, true)).toBe('')
})
