import { fold } from '../../../shared/fold.ts'
import { canonicalJson } from '../../../util/canonical-json.ts'
import { isRecord } from '../../../util/guards.ts'
import { matchesWildcard, toWildcard, type Wildcard } from '../../../util/text/wildcard-match.ts'
import type { Rule } from '../permissions/rule.ts'
import { hasInvisible } from '../visible.ts'
import {
  type ArgumentPattern,
  type Condition,
  parseArgumentPattern,
  type Step,
} from './argument-pattern.ts'

type Arguments = Readonly<Record<string, unknown>>

/** Whether a rule matches; `perhaps`: the arguments do not tell, which only a rule that asks or denies can answer. */
export type Matched = 'yes' | 'no' | 'perhaps'

/**
 * MCP-03: matches rules with one call's arguments. An allow holds only for what the arguments say for certain, in this spelling; a
 * rule that asks or denies holds for every spelling of names and texts, and `perhaps` where a value is missing or of another type.
 * `pin`: the digest of the tool's definition. Linear in the arguments for each condition; never throws.
 */
export function argumentMatcher(args: Arguments, pin?: string): (rule: Rule) => Matched {
  const call = new MatchedCall(args, pin)
  return (rule) => call.match(rule)
}

/** Patterns of rules by text; a pattern that cannot be read is undefined. */
const known = new WeakMap<Rule, { readonly pattern: ArgumentPattern | undefined }>()

function patternOf(rule: Rule): ArgumentPattern | undefined {
  const found = known.get(rule) ?? { pattern: read(rule.pattern) }
  known.set(rule, found)
  return found.pattern
}

function read(text: string): ArgumentPattern | undefined {
  const parsed = parseArgumentPattern(text)
  return parsed.kind === 'pattern' ? parsed.pattern : undefined
}

class MatchedCall {
  readonly #args: Arguments
  readonly #pin: string | undefined
  readonly #forms = new Map<string, readonly string[]>()
  readonly #names = new WeakMap<object, ReadonlyMap<string, readonly string[]>>()
  #json: string | undefined
  #texts: readonly string[] | undefined

  constructor(args: Arguments, pin: string | undefined) {
    this.#args = args
    this.#pin = pin
  }

  match(rule: Rule): Matched {
    const isAllow = rule.action === 'allow'
    const pattern = patternOf(rule)
    if (pattern === undefined) return isAllow ? 'no' : this.#matchAnywhere(rule)
    if (isAllow && !this.#isOfThis(rule, pattern)) return 'no'
    if (pattern.kind === 'all') return 'yes'
    if (pattern.kind === 'exactly') return pattern.json === this.#canonical() ? 'yes' : 'no'
    if (!isAllow) return all(pattern.conditions, (one) => this.#mayHold(one, 0, this.#args))
    const { foldsCase } = rule
    return pattern.conditions.every((one) => this.#holds(one, 0, this.#args, foldsCase))
      ? 'yes'
      : 'no'
  }

  /** MCP-01: what was granted holds for the definition that was granted; people's rules hold for the tool's name. */
  #isOfThis({ grant }: Rule, { pin }: ArgumentPattern): boolean {
    return pin === this.#pin || (pin === undefined && !grant)
  }

  #canonical(): string {
    this.#json ??= canonicalJson(this.#args)
    return this.#json
  }

  /**
   * A rule for one tool that cannot be read denies or asks for every call. One for many tools, such as `"*": {"*.env": "deny"}`,
   * is about texts: it is tried on all in the arguments.
   */
  #matchAnywhere(rule: Rule): Matched {
    if (!/[*?]/.test(rule.tool)) return 'yes'
    const wildcard = foldedWildcard(rule)
    this.#texts ??= textsIn(this.#args)
    const isMatch = (text: string) => matchesWildcard(wildcard, text)
    return this.#texts.some((text) => this.#formsOf(text).some(isMatch)) ? 'yes' : 'no'
  }

  #holds(condition: Condition, at: number, value: unknown, foldsCase: boolean): boolean {
    const step = condition.steps[at]
    if (step === undefined) return this.#isAllowed(condition, value, foldsCase)
    const inner = (found: unknown): boolean => this.#holds(condition, at + 1, found, foldsCase)
    switch (step.kind) {
      case 'field': {
        if (!isRecord(value)) return false
        const [only, ...others] = this.#fieldsLike(value, step.name)
        if (only === undefined) return condition.mayBeMissing
        // A server may take either of two names that differ only by case.
        return only === step.name && others.length === 0 && inner(value[only])
      }
      case 'element':
        if (!Array.isArray(value)) return false
        return step.index < value.length ? inner(value[step.index]) : condition.mayBeMissing
      case 'each':
        if (!Array.isArray(value)) return false
        return value.length === 0 ? condition.mayBeMissing : value.every(inner)
    }
  }

  #isAllowed({ isAny, exact, folded }: Condition, value: unknown, foldsCase: boolean): boolean {
    if (isAny) return true
    const text = scalarText(value)
    // What a person cannot see in a value may be what matters in it.
    if (text === undefined || hasInvisible(text)) return false
    return foldsCase ? folded(fold(text)) : exact(text)
  }

  #mayHold(condition: Condition, at: number, value: unknown): Matched {
    const step = condition.steps[at]
    if (step === undefined) return this.#isMeant(condition, value)
    return any(this.#found(step, value), (found) =>
      found === undefined ? absent(condition, step) : this.#mayHold(condition, at + 1, found.value),
    )
  }

  /** The values behind a step; undefined: it is missing. None, if there is certainly nothing. */
  #found(step: Step, value: unknown): readonly (Found | undefined)[] | 'unlike' {
    if (step.kind === 'field') {
      if (!isRecord(value)) return 'unlike'
      const names = this.#fieldsLike(value, step.name)
      return names.length === 0 ? [undefined] : names.map((name) => ({ value: value[name] }))
    }
    if (!Array.isArray(value)) return 'unlike'
    const elements: readonly unknown[] = value
    const chosen = step.kind === 'each' ? elements : elements.slice(step.index, step.index + 1)
    return chosen.map((element) => ({ value: element }))
  }

  #isMeant({ isAny, foldedWidely }: Condition, value: unknown): Matched {
    if (isAny) return 'yes'
    const text = scalarText(value)
    if (text === undefined) return 'perhaps'
    return this.#formsOf(text).some(foldedWidely) ? 'yes' : 'no'
  }

  /** All spellings of a text that a server may take for the same. */
  #formsOf(text: string): readonly string[] {
    const before = this.#forms.get(text)
    if (before !== undefined) return before
    const bare = text.replaceAll(ignorable, '')
    const plain = bare.normalize('NFKC')
    const forms = [text, bare, bare.trim(), plain, plain.trim()].map(fold)
    const distinct = [...new Set(forms)]
    this.#forms.set(text, distinct)
    return distinct
  }

  /** The fields whose names differ from this one at most by case and encoding. */
  #fieldsLike(record: Arguments, name: string): readonly string[] {
    const before = this.#names.get(record)
    const byForm = before ?? Map.groupBy(Object.keys(record), formOfName)
    if (before === undefined) this.#names.set(record, byForm)
    return byForm.get(formOfName(name)) ?? []
  }
}

interface Found {
  readonly value: unknown
}

const ignorable = /\p{Default_Ignorable_Code_Point}|\p{Cc}/gu

function formOfName(name: string): string {
  return fold(name.normalize('NFKC'))
}

/** A missing field may stand for anything, unless the rule is about whether there is one. */
function absent({ mayBeMissing, isAny }: Condition, { kind }: Step): Matched {
  return mayBeMissing || isAny || kind !== 'field' ? 'no' : 'perhaps'
}

/** The text of a value as rules see it: text itself, else JSON; none for objects and arrays. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? undefined : JSON.stringify(value)
}

function textsIn(args: Arguments): readonly string[] {
  const texts: string[] = []
  const open: unknown[] = Object.values(args)
  // The list grows during iteration.
  for (const value of open) {
    const text = scalarText(value)
    if (text !== undefined) texts.push(text)
    else for (const inner of Object.values(Object(value))) open.push(inner)
  }
  return texts
}

const foldedWildcards = new WeakMap<Rule, Wildcard>()

function foldedWildcard(rule: Rule): Wildcard {
  const wildcard = foldedWildcards.get(rule) ?? toWildcard(fold(rule.pattern))
  foldedWildcards.set(rule, wildcard)
  return wildcard
}

function all<T>(list: readonly T[], match: (one: T) => Matched): Matched {
  let result: Matched = 'yes'
  for (const one of list) {
    const matched = match(one)
    if (matched === 'no') return 'no'
    if (matched === 'perhaps') result = 'perhaps'
  }
  return result
}

function any<T>(list: readonly T[] | 'unlike', match: (one: T) => Matched): Matched {
  if (list === 'unlike') return 'perhaps'
  let result: Matched = 'no'
  for (const one of list) {
    const matched = match(one)
    if (matched === 'yes') return 'yes'
    if (matched === 'perhaps') result = 'perhaps'
  }
  return result
}
