import {
  escapeWildcard,
  literalPrefix,
  matchesWildcard,
} from '../../../../util/text/wildcard-match.ts'
import type { Rule } from '../../permissions/rule.ts'
import type { SubCommand } from '../analysis.ts'
import { baseName, isSystemProgram } from '../programs/program-name.ts'
import { type WideCommand, wideCommand } from './wide-command.ts'

/**
 * SHELL-08: the pattern that *Always* offers for a command: `git push *` for `git push origin main` if the table knows that all
 * such commands do the same kind of thing; else exactly the command.
 */
export function alwaysPattern(command: SubCommand): string {
  const { wide, isAmbiguous } = grantableOf(command)
  if (wide !== undefined)
    return wide.isAlone ? escapeWildcard(wide.head) : `${escapeWildcard(wide.head)} *`
  const isByText = isAmbiguous || command.hazards.length > 0
  return escapeWildcard(isByText ? command.source : command.words.join(' '))
}

/**
 * SHELL-10: whether a grant covers a command. A wildcard grant covers only commands for which it would be offered; a wider one
 * from an earlier version covers those that only read.
 */
export function fitsGrant(rule: Rule, command: SubCommand): boolean {
  const { wide, texts, isAmbiguous } = grantableOf(command)
  if (rule.literal !== undefined)
    return rule.literal === command.source || (!isAmbiguous && texts.includes(rule.literal))
  if (wide === undefined) return false
  const isOffered = `${literalPrefix(rule.text)} `.startsWith(`${wide.head} `)
  if (!isOffered && wide.kind !== 'reads') return false
  return texts.some((text) => matchesWildcard(rule.text, text))
}

interface Grantable {
  readonly wide: WideCommand | undefined
  /**
   * The texts by which grants may name it: a bare name means the system's program only, and a blank inside a word is not a
   * separator.
   */
  readonly texts: readonly string[]
  /** Its words joined by blanks could also be other words. */
  readonly isAmbiguous: boolean
}

const remembered = new WeakMap<SubCommand, Grantable>()

/** Cached by command, because it is tried on many grants. */
function grantableOf(command: SubCommand): Grantable {
  const known = remembered.get(command) ?? toGrantable(command)
  remembered.set(command, known)
  return known
}

function toGrantable(command: SubCommand): Grantable {
  const [program = '', ...rest] = command.words.map((word) => word.replaceAll(/\s/g, '\0'))
  const names = new Set([program, isSystemProgram(program) ? baseName(program) : program])
  return {
    wide: wideOf(command),
    texts: [...names].map((name) => [name, ...rest].join(' ')),
    isAmbiguous: command.words.some((word) => word === '' || /\s/.test(word)),
  }
}

function wideOf({ words, hazards, form, runs }: SubCommand): WideCommand | undefined {
  if (hazards.length > 0) return undefined
  const [program = '', ...rest] = words
  if (form === undefined || runs !== undefined)
    return wideCommand(isSystemProgram(program) ? [baseName(program), ...rest] : words)
  // `python -m pytest` is treated as `pytest`.
  const module = wideCommand(words.slice(2))
  return module && { ...module, head: `${program} -m ${module.head}` }
}
