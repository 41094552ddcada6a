import { expect, test } from 'vitest'
import { failByErrno } from '../../../src/executor/files/errno.ts'
import { Refusal } from '../../../src/executor/refusal.ts'

function refusalOf(code: string) {
  try {
    return failByErrno(Object.assign(new Error('no'), { code }), 'a')
  } catch (error) {
    if (error instanceof Refusal) return error.outcome
    throw error
  }
}

test.each([
  ['ENOENT', 'permanent_failure', 'a: no such file or directory'],
  ['ENOTDIR', 'permanent_failure', 'a: it or a part of its path is not a directory'],
  ['ENOSPC', 'permanent_failure', 'a: no space left on the device'],
  ['EIO', 'permanent_failure', 'a: EIO'],
  ['EACCES', 'policy_blocked', 'a: permission denied'],
  ['EPERM', 'policy_blocked', 'a: permission denied'],
  ['EROFS', 'policy_blocked', 'a: permission denied'],
  ['ENAMETOOLONG', 'invalid_parameters', 'a: the path is too long'],
] as const)('ERR-05 %s of the system is %s', (code, category, message) => {
  expect(refusalOf(code)).toEqual({ kind: 'error', error: { category, message } })
})

test('ERR-05 errors that are not of the system are not mapped', () => {
  expect(() => failByErrno(new TypeError('ours'), 'a')).toThrow('ours')
})
