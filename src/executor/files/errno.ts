import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'

/** Returns the code of an operating system error, such as `ENOENT`; undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined
}

const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'it or a part of its path is not a directory',
  EISDIR: 'is a directory',
  EEXIST: 'exists already',
  ELOOP: 'is a link where none is followed, or links lead in a circle',
  ENOTEMPTY: 'the directory is not empty',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  ENXIO: 'is not a regular file',
  EFBIG: 'is too large',
}

/**
 * ERR-05: ends the call: permission errors as `policy_blocked`, others as `permanent_failure`. `path` is the path as the
 * model wrote it.
 */
export function failByErrno(error: unknown, path: string): never {
  const code = errnoOf(error)
  if (code === undefined) throw error
  const shown = showName(path)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    fail('policy_blocked', `${shown}: permission denied`)
  }
  if (code === 'ENAMETOOLONG') fail('invalid_parameters', `${shown}: the path is too long`)
  fail('permanent_failure', `${shown}: ${meanings[code] ?? code}`)
}
