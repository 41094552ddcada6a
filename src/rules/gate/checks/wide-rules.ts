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

/** Characters of the words times those of the rules: a few milliseconds. */
const maxWork = 1_000_000

export const tooMuch = 'there are more rules than its patterns can be tried on'

export function isTooMuch(length: number, rules: readonly Rule[]): boolean {
  return rules.reduce((sum, { pattern }) => sum + pattern.length, 0) * length > maxWork
}

/** Rules with more blanks than this are tried as if a wildcard's names could hold blanks. */
const maxBlanks = 3

/**
 * What rules for bash say of a command, whatever its wildcards stand for: one that asks or denies counts where it could speak
 * of it, one that allows where it speaks of all of it.
 */
function evaluateWidely(command: SubCommand, rules: ToolRules): Decision {
  const forms = formsOf(command)
  const texts = [...new Set([forms.full, forms.base, forms.plain])]
  const shapes = shapesOf(texts, command)
  const isPlain = takesNoStatement(command.words)
  const samples = ['q', 'qq q/qqq'].map((name) => sample(command, name))
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

/** Rules about statements of SQL: `*drop table*`, `*truncate *`. */
const statement =
  /^\*(?:(?:drop|alter|truncate) (?:table|database|schema|view|index|user|role)|truncate |delete from|insert into)[ *]*\*$/i

/** A name that a program takes for a file is no statement, even if it reads like one. */
function takesNoStatement(words: readonly string[]): boolean {
  const [program = ''] = words
  return isReader(words) || (!isDatabase(program) && arityOf([program]) === 1)
}

/** A command as a pattern for what it may become, and which characters its wildcards stand for. */
interface Shape {
  readonly exact: Wildcard
  readonly folded: Wildcard
  readonly stands: (unit: number, next: number | undefined) => boolean
}

interface Shapes {
  /** Its wildcards stand for names with blanks too. */
  readonly wide: readonly Shape[]
  /** For rules of at most `maxBlanks` blanks. */
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
 * Of files of one kind each name ends as the wildcard does, so that blanks stand between names alone: a rule meets as many
 * names next to each other as it has blanks, and one more. Any other wildcard may stand for names with blanks.
 */
function shapesOf(texts: readonly string[], command: SubCommand): Shapes {
  const shape = (copies: number, stands: Shape['stands']): readonly Shape[] =>
    texts.map((text) => {
      const wide = widened(text, command, copies)
      return { exact: toWildcard(wide), folded: toWildcard(fold(wide)), stands }
    })
  const wide = shape(1, standsInNames)
  if (command.globs?.every(isOfKind) !== true) return { wide, narrow: wide }
  const copies = Array.from({ length: maxBlanks + 1 }, (_, at) => at + 1)
  return { wide, narrow: copies.flatMap((count) => shape(count, standsInOneName)) }
}

function standsInOneName(unit: number, next: number | undefined): boolean {
  return unit !== blank && standsInNames(unit, next)
}

/** Rules about redirections, substitutions, lists of commands and long options are not about names of files. */
function standsInNames(unit: number, next: number | undefined): boolean {
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

/** What stands around the wildcards of a word. */
function parts(word: string): readonly string[] {
  return word.split(/[*?]+|\[[\w-]+\]/)
}

/** Of a command that asks: its patterns may stand for what other rules ask about, over which no grant of it would win. */
export function firmFinding(
  command: SubCommand,
  rules: ToolRules,
  met: readonly string[],
): readonly Finding[] {
  if (command.globs === undefined) return []
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

/** What such a command is told of by rules that let its text run. */
export function widerFinding(command: SubCommand, rules: ToolRules): readonly Finding[] {
  if (command.globs === undefined) return []
  const { agent, operator, file } = rules
  const length = command.words.join(' ').length
  if (isTooMuch(length, [...agent, ...operator, ...file]))
    return [{ check: 'shell', action: 'ask', reason: tooMuch, isHazard: true }]
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
      // No grant of it wins over that rule: none is offered.
      isFirm: true,
      ...(action === 'deny' ? { mayBeDenied: true } : {}),
    },
  ]
}
