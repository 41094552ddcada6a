import type { SubCommand } from './analysis.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'

/** The texts by which rules may name a command. */
export interface CommandForms {
  /** With the program's full path, and with its base name. */
  readonly full: string
  readonly base: string
  /** Without options before the first other word: `git push` for `git --no-pager push`. */
  readonly plain: string
  readonly isSystem: boolean
}

export function formsOf({ words }: Pick<SubCommand, 'words'>): CommandForms {
  const [program = ''] = words
  const name = baseName(program)
  const full = words.join(' ')
  // The texts are equal if there is nothing to remove.
  const base = name === program ? full : [name, ...words.slice(1)].join(' ')
  const first = words.findIndex((word, at) => at > 0 && !word.startsWith('-'))
  const plain = first <= 1 ? base : [name, ...words.slice(first)].join(' ')
  return { full, base, plain, isSystem: isSystemProgram(program) }
}
