import { takesPaths } from '../../../domain/path-tools.ts'
import type { Judged, ToolRules } from './evaluation.ts'
import { describeRule, matchesText, type Rule } from './rule.ts'

/** A question that a value met. */
export interface MetQuestion {
  /** As grants store it. */
  readonly name: string
  /** The rule that asks of the value itself; absent: it is about the text around it, or about what the call does. */
  readonly rule?: Rule
}

/**
 * APPR-07: every question that a value met: each rule of any layer that asks about it, also one that another rule hides, and what
 * the call does to it. A bare `*` is none, since it asks no more than having no rule.
 */
export function metQuestions(
  { agent, operator, file }: ToolRules,
  matches: (rule: Rule) => boolean,
  { does = [], isDirect = () => true }: Judged,
): readonly MetQuestion[] {
  const asking = [agent, operator, file].flatMap((layer) =>
    layer.filter((rule) => rule.action === 'ask' && !rule.matchesAll && matches(rule)),
  )
  const questions = asking.map((rule): MetQuestion => {
    const name = describeRule(rule)
    return isDirect(rule) ? { name, rule } : { name: `around it, ${name}` }
  })
  return [...questions, ...does.map((name) => ({ name }))]
}

/** Whether a grant wins over all of these questions. */
export function winsOver(grant: Rule, questions: readonly MetQuestion[]): boolean {
  const { beats } = grant
  return questions.every(({ name, rule }) =>
    beats === undefined ? rule !== undefined && asksOfAll(rule, grant) : beats.includes(name),
  )
}

/** Characters that stand in no rule, so that nothing but a wildcard takes them. */
const fillings = ['', '\uE000', '\uE000\uE001 \uE002/\uE000\uE001']

/** Whether a rule asks about all that a grant's pattern stands for, so that the call of the grant has met it. */
function asksOfAll(rule: Rule, grant: Rule): boolean {
  const { tokens, literal } = grant.text
  if (takesPaths(grant.tool)) return literal !== undefined && rule.glob(literal)
  if (literal !== undefined) return matchesText(rule, literal)
  return fillings.every((filling) => {
    const text = tokens
      .map((token) => (typeof token === 'number' ? String.fromCharCode(token) : filling))
      .join('')
    return matchesText(rule, text)
  })
}
