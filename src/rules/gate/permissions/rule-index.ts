import { fold } from '../../../shared/fold.ts'
import { type GlobNode, slash } from '../../../shared/glob/glob-node.ts'
import { parsePathPattern } from '../../../shared/glob/path-glob.ts'
import { literalPrefix, type Wildcard } from '../../../util/text/wildcard-match.ts'
import type { Rule } from './rule.ts'

/** A case-folded key that pattern and value must share; without it the rule cannot match. */
type KeyOf = (rule: Rule) => string | undefined

/** Shorter lists are faster to scan than to look up. */
const shortList = 8
const maxMerged = 64

/**
 * PERF-01: selects the rules of a list that may match, in order; the caller tests which do. Built once per list, so that five
 * hundred rules cost no more than the few for the same program or directory.
 */
class RuleIndex {
  readonly #rules: readonly Rule[]
  readonly #keys: ReadonlyMap<Rule, string>
  readonly #known: ReadonlySet<string>
  /** Rules that any value may match. */
  readonly #rest: readonly Rule[]
  readonly #merged = new Map<string, readonly Rule[]>()

  constructor(rules: readonly Rule[], keyOf: KeyOf) {
    const keyed = rules.map((rule) => [rule, keyOf(rule)] as const)
    this.#rules = rules
    this.#keys = new Map(keyed.flatMap(([rule, key]) => (key === undefined ? [] : [[rule, key]])))
    this.#known = new Set(this.#keys.values())
    this.#rest = rules.filter((rule) => !this.#keys.has(rule))
  }

  candidates(keys: readonly string[]): readonly Rule[] {
    let only: string | undefined
    for (const key of keys) {
      if (!this.#known.has(key)) continue
      if (only !== undefined && only !== key) return this.#with(keys)
      only = key
    }
    return only === undefined ? this.#rest : this.#remembered(only)
  }

  #remembered(key: string): readonly Rule[] {
    const known = this.#merged.get(key)
    if (known !== undefined) return known
    if (this.#merged.size >= maxMerged) this.#merged.clear()
    const made = this.#with([key])
    this.#merged.set(key, made)
    return made
  }

  #with(keys: readonly string[]): readonly Rule[] {
    return this.#rules.filter((rule) => {
      const key = this.#keys.get(rule)
      return key === undefined || keys.includes(key)
    })
  }
}

type Indexed = WeakMap<readonly Rule[], RuleIndex>

/** The rules that may match one of some commands or names, by their first words, case-folded. */
export function rulesForText(rules: readonly Rule[], keys: readonly string[]): readonly Rule[] {
  return lookUp(byFirstWord, wordOf, rules, keys)
}

/** The rules that may match a path, by the names between slashes in any of its forms, case-folded. */
export function rulesForPath(rules: readonly Rule[], keys: readonly string[]): readonly Rule[] {
  return lookUp(bySegment, segmentOf, rules, keys)
}

/** The text before the first blank, case-folded: the key of a text. */
export function firstWord(text: string): string {
  const end = text.indexOf(' ')
  return fold(end === -1 ? text : text.slice(0, end))
}

const byFirstWord: Indexed = new WeakMap()
const bySegment: Indexed = new WeakMap()

function lookUp(
  indexed: Indexed,
  keyOf: KeyOf,
  rules: readonly Rule[],
  keys: readonly string[],
): readonly Rule[] {
  if (rules.length <= shortList) return rules
  const index = indexed.get(rules) ?? new RuleIndex(rules, keyOf)
  indexed.set(rules, index)
  return index.candidates(keys)
}

function wordOf({ text }: Rule): string | undefined {
  const word = wordBefore(text)
  // An escaped blank before the last star means a different text.
  return text.alone === undefined || wordBefore(text.alone) === word ? word : undefined
}

function wordBefore(wildcard: Wildcard): string | undefined {
  if (wildcard.literal !== undefined) return firstWord(wildcard.literal)
  const prefix = literalPrefix(wildcard)
  return prefix.includes(' ') ? firstWord(prefix) : undefined
}

function segmentOf(rule: Rule): string | undefined {
  if (rule.matchesAll) return undefined
  const pattern = rule.pattern.startsWith('./') ? rule.pattern.slice(2) : rule.pattern
  const segment = requiredSegment(pattern)
  return segment === undefined ? undefined : fold(segment)
}

/**
 * The longest name that occurs between slashes in every path matched by a glob; undefined if there is none: `**` and a slash may
 * match nothing, and paths below a literal count.
 */
export function requiredSegment(pattern: string): string | undefined {
  // Escapes are handled by the glob matcher only.
  if (pattern.includes('\\')) return undefined
  let current = ''
  let isWhole = true
  let longest = ''
  const end = (): void => {
    if (isWhole && current.length > longest.length) longest = current
    current = ''
    isWhole = true
  }
  for (const node of parsePathPattern(pattern) ?? []) {
    if (endsName(node)) end()
    else if (node.kind === 'character') current += String.fromCodePoint(node.code)
    else isWhole = false
  }
  end()
  return longest === '' || longest === '.' || longest === '..' ? undefined : longest
}

function endsName(node: GlobNode): boolean {
  const isSlash = node.kind === 'character' && node.code === slash
  return isSlash || node.kind === 'directories' || node.kind === 'below'
}
