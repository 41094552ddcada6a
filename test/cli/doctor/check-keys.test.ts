import { expect, test } from 'vitest'
import { isPrivate } from '../../../src/cli/doctor/check-keys.ts'

const root = 0
const ours = 10_001
const other = 1_000

test.each([
  [0o600, ours, ours, true],
  [0o400, ours, ours, true],
  [0o640, ours, ours, false],
  [0o604, ours, ours, false],
  // A secret that Kubernetes mounts for the group of a pod.
  [0o440, root, ours, true],
  [0o460, root, ours, false],
  [0o444, root, ours, false],
  [0o440, other, root, false],
  [0o600, other, root, true],
])(
  'SHIP-04 a key of mode %o that user %i owns and user %i reads is private: %s',
  (mode, uid, own, expected) => {
    expect(isPrivate({ mode: 0o100_000 | mode, uid }, own)).toBe(expected)
  },
)
