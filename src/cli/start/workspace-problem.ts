import { statSync } from 'node:fs'

/** Why `--workspace` cannot be used, in words; undefined: it is a directory. */
export function workspaceProblem(given: string): string | undefined {
  // It would be resolved to the present directory, which a variable that is not set did not mean.
  if (given.trim() === '') return '--workspace is empty: name a directory'
  try {
    if (statSync(given).isDirectory()) return undefined
    return `--workspace ${given} is not a directory`
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    const why = code === 'ENOENT' ? 'does not exist: make it first' : `cannot be used (${code})`
    return `--workspace ${given} ${why}`
  }
}
