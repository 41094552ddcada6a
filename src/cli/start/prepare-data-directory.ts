import { closeSync, existsSync, mkdirSync, openSync, unlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from '../../domain/command-error.ts'
import { hasCode } from '../../util/has-code.ts'
import { newId } from '../../util/new-id.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  ENOENT: 'nothing can be made there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EPERM: 'nothing can be made there',
  EROFS: 'its file system is read-only',
}

/** Creates the data directory (0700) if missing and tests that it is writable. Throws CommandError with exit code 2. */
export function prepareDataDirectory(dataDir: string): void {
  try {
    makeDirectories(resolve(dataDir))
    const probe = join(dataDir, `.probe-${newId()}`)
    closeSync(openSync(probe, 'wx', 0o600))
    unlinkSync(probe)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    const why = reasons[code] ?? code
    const how = 'name another one by data_dir in countersign.toml, or COUNTERSIGN_DATA_DIR'
    const words = `the data directory ${dataDir} cannot be used: ${why}; ${how}`
    throw new CommandError(words, { cause, exitCode: 2 })
  }
}

/** Creates directories one by one, since Node's recursive `mkdir` never returns below `/proc`. */
function makeDirectories(path: string): void {
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      mkdirSync(directory, { mode: 0o700 })
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}
