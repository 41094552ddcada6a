import { posix } from 'node:path'
import { systemDirectories } from './programs.ts'

/** A program's name without its directory. */
export function baseName(program: string): string {
  return program.includes('/') ? posix.basename(program) : program
}

/** Whether a rule with the bare name applies to this program: a bare name, or a path to the system's own. */
export function isSystemProgram(program: string): boolean {
  return !program.includes('/') || systemDirectories.has(posix.dirname(program))
}
