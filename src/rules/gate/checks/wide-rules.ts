import { fold } from '../../../shared/fold.ts'
import { escapeWildcard, toWildcard, type Wildcard } from '../../../util/text/wildcard-match.ts'
import { wildcardsOverlap } from '../../../util/text/wildcards-overlap.ts'
import { isReader } from '../orders/is-reader.ts'
import { evaluate } from '../permissions/evaluate.ts'
import type { Decision, ToolRules } from '../permissions/evaluation.ts'
import { matchesText, type Rule } from '../permissions/rule.ts'
import type { SubCommand } from '../shell/analysis.ts'
import { formsOf } from '../shell/command-forms.ts'
import { arityOf } from '../shell/grants/arity.ts'
import { fitsGrant } from '../shell/grants/grantable.ts'
import { behindRunners } from '../shell/plain-wrappers.ts'
import { isDatabase } from '../shell/programs/database-hazard.ts'
import { isOfKind } from '../shell/words/file-globs.ts'
import type { Finding } from './finding.ts'

/** Limit of the characters of words times those of rules: a few milliseconds. */
const maxWork = 1_000_000

export const tooManyRules = 'there are more rules than its patterns can be tried on'

export function exceedsWorkLimit(length: number, rules: readonly Rule[]): boolean {
  return rules.reduce((sum, { pattern }) => sum + pattern.length, 0) * length > maxWork
}

/** Rules with more blanks are matched as if the expanded names could contain blanks. */
const maxBlanks = 3

/**
 * Evaluates bash rules for all expansions of a command's wildcards: a rule that asks or denies applies if it may match one, a
 * rule that allows only if it matches all.
 */
function evaluateWidely(command: SubCommand, rules: ToolRules): Decision {
  const forms = formsOf(command)
  const wide = withWildcards(command)
  const { full, base, plain } = formsOf(wide)
  const shapes = shapesOf([...new Set([full, base, plain])], wide)
  const isPlain = takesNoStatement(command.words)
  const samples = ['q', 'qq q/qqq'].map((name) => sample(wide, name))
  const matches = (rule: Rule): boolean => {
    if (rule.grant && !fitsGrant(rule, command)) return false
    if (rule.matchesAll) return true
    if (rule.action !== 'allow')
      return !(isPlain && statement.test(rule.pattern)) && mayBeAbout(rule, shapes)
    if (rule.literal === command.source || rule.literal === forms.full) return true
    return samples.every((text) => matchesText(rule, text))
  }
  return evaluate({ ...rules, witness: undefined }, matches, { about: forms.full })
}

/** The command with wildcards in place of substitutions. */
function withWildcards(command: SubCommand): SubCommand {
  const { words, globs = [], objects = [] } = command
  const stands = [...globs, ...objects]
  if (!stands.some(isSubstitution)) return command
  const wide = (word: string): string =>
    isSubstitution(word) ? word.replace(/^\$\(.*\)/s, '*') : word
  return { ...command, words: words.map(wide), globs: stands.map(wide) }
}

function isSubstitution(word: string): boolean {
  return word.startsWith('$(')
}

/** Rules about statements of SQL: `*drop table*`, `*truncate *`. */
const statement =
  /^\*(?:(?:drop|alter|truncate) (?:table|database|schema|view|index|user|role)|truncate |delete from|insert into)[ *]*\*$/i

/** A name that a program takes for a file is no statement, even if it reads like one. */
function takesNoStatement(words: readonly string[]): boolean {
  const [program = ''] = words
  return isReader(words) || (!isDatabase(program) && arityOf([program]) === 1)
}

/** A command as a pattern for its expansions, and the characters that its wildcards may stand for. */
interface Shape {
  readonly exact: Wildcard
  readonly folded: Wildcard
  readonly stands: (unit: number, next: number | undefined) => boolean
}

interface Shapes {
  /** Its wildcards may also expand to names with blanks. */
  readonly wide: readonly Shape[]
  /** For rules with at most `maxBlanks` blanks. */
  readonly narrow: readonly Shape[]
}

function mayBeAbout(rule: Rule, { wide, narrow }: Shapes): boolean {
  const blanks = rule.text.tokens.filter((token) => token === blank).length
  const isAnyDash = hasInnerDashes(rule)
  return (blanks > maxBlanks ? wide : narrow).some(({ exact, folded, stands }) =>
    wildcardsOverlap(
      rule.text,
      rule.foldsCase ? folded : exact,
      (unit, next) => (isAnyDash && unit === dash) || stands(unit, next),
    ),
  )
}

const blank = 32
const dash = 45

/** Whether two dashes stand within a word of a rule, where they begin no option. */
function hasInnerDashes({ text: { tokens } }: Rule): boolean {
  return tokens.some((token, at) => {
    const before = tokens[at - 1]
    const isInner = typeof before === 'number' && before !== blank
    return isInner && token === dash && tokens[at + 1] === dash
  })
}

/**
 * Among files of one kind each name ends like the wildcard, so blanks occur only between names: a rule with n blanks can span n +
 * 1 adjacent names. Other wildcards may expand to names with blanks.
 */
function shapesOf(texts: readonly string[], command: SubCommand): Shapes {
  const shape = (copies: number, stands: Shape['stands']): readonly Shape[] =>
    texts.map((text) => {
      const wide = widened(text, command, copies)
      return { exact: toWildcard(wide), folded: toWildcard(fold(wide)), stands }
    })
  const wide = shape(1, isInFileName)
  if (command.globs?.every(isOfKind) !== true) return { wide, narrow: wide }
  const copies = Array.from({ length: maxBlanks + 1 }, (_, at) => at + 1)
  return { wide, narrow: copies.flatMap((count) => shape(count, standsInOneName)) }
}

function standsInOneName(unit: number, next: number | undefined): boolean {
  return unit !== blank && isInFileName(unit, next)
}

/** Rules about redirections, substitutions, command lists and long options do not match names of files. */
function isInFileName(unit: number, next: number | undefined): boolean {
  const character = String.fromCharCode(unit)
  if (character === '-') return next !== unit
  return !'<>|&;$`()\'"\\\n'.includes(character)
}

function widened(text: string, { globs = [] }: SubCommand, copies: number): string {
  // A dash in front of a wildcard is left to it: together with a name's first one it would seem to begin an option.
  const wide = (word: string): string =>
    parts(word)
      .map((part, at, all) => escapeWildcard(at < all.length - 1 ? part.replace(/-$/, '') : part))
      .join('*')
  return text
    .split(' ')
    .flatMap((word) =>
      globs.includes(word)
        ? Array.from({ length: copies }, () => wide(word))
        : escapeWildcard(word),
    )
    .join(' ')
}

function sample({ words, globs = [] }: SubCommand, name: string): string {
  return words.map((word) => (globs.includes(word) ? parts(word).join(name) : word)).join(' ')
}

/** The literal parts between the wildcards of a word. */
function parts(word: string): readonly string[] {
  return word.split(/[*?]+|\[[\w-]+\]/)
}

/**
 * For a command that asks: its patterns may also match values that other rules ask about, which a grant for it could not
 * override.
 */
export function firmFinding(
  command: SubCommand,
  rules: ToolRules,
  met: readonly string[],
): readonly Finding[] {
  if (command.globs === undefined && command.objects === undefined) return []
  const [found] = widerFinding(command, { ...rules, grants: [] })
  const wide = found === undefined ? [] : evaluateWidely(command, rules).met
  const isMet = wide?.every((name) => met.includes(name)) === true
  return found === undefined || isMet ? [] : [found]
}

/** Rules that name what a wrapper runs count as if it stood alone. */
function strictestOf(command: SubCommand, rules: ToolRules): Decision {
  const own = evaluateWidely(command, rules)
  const words = behindRunners(command.words)
  if (own.action !== 'allow' || words.length === command.words.length) return own
  const inner = evaluateWidely({ ...command, words }, rules)
  return inner.rule === undefined || inner.rule.matchesAll ? own : inner
}

/** Findings for such a command from rules that would let its literal text run. */
export function widerFinding(command: SubCommand, rules: ToolRules): readonly Finding[] {
  const { globs, objects } = command
  if (globs === undefined && objects === undefined) return []
  const { agent, operator, file } = rules
  const length = command.words.join(' ').length
  if (exceedsWorkLimit(length, [...agent, ...operator, ...file]))
    return [{ check: 'shell', action: 'ask', reason: tooManyRules, isHazard: true }]
  const { action, rule } = strictestOf(command, rules)
  if (action === 'allow') return []
  const by = rule === undefined ? 'a rule' : `a rule of the ${rule.layer}`
  const what = action === 'deny' ? 'denies' : 'asks about'
  const reason = `its patterns may stand for what ${by} ${what}`
  return [
    {
      check: 'shell',
      action: 'ask',
      reason,
      isHazard: true,
      effect: { kind: 'touches_kept', of: [...(globs ?? []), ...(objects ?? [])].join(' ') },
      // No grant could override that rule, so none is offered.
      isFirm: true,
      ...(action === 'deny' ? { mayBeDenied: true } : {}),
    },
  ]
}
