import { type CaseMode, compileGlob } from '../../../shared/glob/compile-glob.ts'
import { parseGlob } from '../../../shared/glob/parse-glob.ts'
import { escapePathGlob, pathPatternProblem } from '../../../shared/glob/path-glob.ts'
import { canonicalJson } from '../../../util/canonical-json.ts'
import { isRecord } from '../../../util/guards.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { argumentTextProblem } from '../../tools/argument-text-problem.ts'

/** A part of the path to a value: a field, an element, or each element of an array. */
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'element'; readonly index: number }
  | { readonly kind: 'each' }

/** One condition on a call's arguments: `repo=acme/*`. */
export interface Condition {
  readonly steps: readonly Step[]
  /** `?=`: the value may be missing without harm: an allow holds, an ask or deny does not. */
  readonly mayBeMissing: boolean
  /** `*`: any value, objects and arrays included. */
  readonly isAny: boolean
  readonly exact: (text: string) => boolean
  /** For folded texts. */
  readonly folded: (text: string) => boolean
  readonly foldedWidely: (text: string) => boolean
}

/** MCP-03: a rule's pattern for a tool that is ruled by its arguments. */
export type ArgumentPattern = { readonly pin: string | undefined } & (
  | { readonly kind: 'all' }
  /** Exactly these arguments, as canonical JSON. */
  | { readonly kind: 'exactly'; readonly json: string }
  | { readonly kind: 'conditions'; readonly conditions: readonly Condition[] }
)

type ParsedPattern =
  | { readonly kind: 'pattern'; readonly pattern: ArgumentPattern }
  /** One clause for the pattern's author. */
  | { readonly kind: 'wrong'; readonly why: string }

const maxCharacters = 1_000

/** What *Always* offers is shorter; people may paste more. */
const maxExactCharacters = 4_000

const maxConditions = 16

const maxSteps = 32

/**
 * Parses `*`, the JSON of a whole call, or conditions `path=glob` with blanks between them, all of which must hold. A path has
 * names with dots between them, `[*]` or `[0]` for arrays; `'…'` takes everything as it is, in names and values, `''` in it is a
 * quote. ` @` and a digest at the end bind the pattern to one definition of the tool. Never throws.
 */
export function parseArgumentPattern(text: string): ParsedPattern {
  try {
    return { kind: 'pattern', pattern: parse(text) }
  } catch (error) {
    if (error instanceof PatternRefused) return { kind: 'wrong', why: error.message }
    throw error
  }
}

/** Why a pattern for arguments is invalid; undefined if it is not. */
export function argumentPatternProblem(text: string): string | undefined {
  const parsed = parseArgumentPattern(text)
  return parsed.kind === 'wrong' ? parsed.why : undefined
}

class PatternRefused extends Error {}

function refuse(why: string): never {
  throw new PatternRefused(why)
}

function parse(text: string): ArgumentPattern {
  const pin = / @([0-9a-f]{32,64})$/.exec(text)?.[1]
  const body = pin === undefined ? text : text.slice(0, -(pin.length + 2))
  if (/^\*+$/.test(body)) return { pin, kind: 'all' }
  if (body.startsWith('{')) return { pin, kind: 'exactly', json: parseExactly(body) }
  if (body.length > maxCharacters) refuse(`a pattern may have at most ${maxCharacters} characters`)
  return { pin, kind: 'conditions', conditions: new ConditionReader(body).read() }
}

function parseExactly(text: string): string {
  if (text.length > maxExactCharacters) {
    refuse(`exact arguments may have at most ${maxExactCharacters} characters`)
  }
  const args = tryParseJson(text)
  if (!isRecord(args)) refuse('what begins with "{" must be the whole arguments as JSON')
  const problem = argumentTextProblem(text)
  if (problem !== undefined) refuse(problem)
  return canonicalJson(args)
}

class ConditionReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): readonly Condition[] {
    const conditions: Condition[] = []
    this.#skipBlanks()
    do {
      conditions.push(this.#condition())
      this.#skipBlanks()
    } while (this.#at < this.#text.length)
    if (conditions.length > maxConditions) {
      refuse(`a pattern may hold at most ${maxConditions} conditions`)
    }
    return conditions
  }

  #skipBlanks(): void {
    while (this.#text[this.#at] === ' ') this.#at += 1
  }

  #condition(): Condition {
    const steps = this.#path()
    const mayBeMissing = this.#takes('?')
    if (!this.#takes('=')) {
      refuse('a condition has the form path=glob, such as repo=acme/*')
    }
    return { steps, mayBeMissing, ...toTests(this.#glob()) }
  }

  #path(): readonly Step[] {
    const steps: Step[] = [this.#field()]
    for (;;) {
      if (this.#takes('.')) steps.push(this.#field())
      else if (this.#takes('[')) steps.push(this.#element())
      else break
    }
    if (steps.length > maxSteps) refuse(`a path may have at most ${maxSteps} parts`)
    return steps
  }

  #field(): Step {
    if (this.#text[this.#at] === "'") return { kind: 'field', name: this.#quoted() }
    const plain = /[\p{L}\p{N}\p{M}_$-]+/uy
    plain.lastIndex = this.#at
    const [name] = plain.exec(this.#text) ?? []
    if (name === undefined) {
      refuse("a condition begins with a name, such as repo=acme/*; write odd names as 'a name'")
    }
    this.#at += name.length
    return { kind: 'field', name }
  }

  #element(): Step {
    const inside = /(\*|0|[1-9]\d{0,5})\]/y
    inside.lastIndex = this.#at
    const [all, index] = inside.exec(this.#text) ?? []
    if (all === undefined) refuse('write [*] for each element of an array, or a number as in [0]')
    this.#at += all.length
    return index === '*' ? { kind: 'each' } : { kind: 'element', index: Number(index) }
  }

  /** Reads up to the next blank that stands for itself. */
  #glob(): string {
    let glob = ''
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined || character === ' ') return glob
      if (character === "'") glob += escapePathGlob(this.#quoted())
      else glob += this.#take(character === '\\' ? 2 : 1)
    }
  }

  #quoted(): string {
    let text = ''
    this.#at += 1
    for (;;) {
      const end = this.#text.indexOf("'", this.#at)
      if (end === -1)
        refuse("a quote ' has no other half; write '''' or \\' for the character itself")
      text += this.#text.slice(this.#at, end)
      this.#at = end + 1
      if (!this.#takes("'")) return text
      text += "'"
    }
  }

  #take(count: number): string {
    const taken = this.#text.slice(this.#at, this.#at + count)
    this.#at += count
    return taken
  }

  #takes(character: string): boolean {
    const isNext = this.#text[this.#at] === character
    if (isNext) this.#at += 1
    return isNext
  }
}

type Tests = Pick<Condition, 'isAny' | 'exact' | 'folded' | 'foldedWidely'>

/** The language of globs is that of paths; a value is tried whole, and nothing lies below it. */
function toTests(glob: string): Tests {
  const problem = glob === '' ? undefined : pathPatternProblem(glob)
  if (problem !== undefined) refuse(problem)
  return {
    isAny: /^\*+$/.test(glob),
    exact: lazily(() => compile(glob, 'exact')),
    folded: lazily(() => compile(glob, 'folded')),
    foldedWidely: lazily(() => compile(glob, 'folded widely')),
  }
}

function compile(glob: string, reading: CaseMode): (text: string) => boolean {
  const form = {
    exact: glob,
    folded: glob.normalize('NFC'),
    'folded widely': glob.normalize('NFKC'),
  }
  const parsed = parseGlob(form[reading])
  if (parsed.kind === 'refused') return () => reading === 'folded widely'
  return compileGlob(parsed.nodes, reading)
}

function lazily(make: () => (text: string) => boolean): (text: string) => boolean {
  let made: ((text: string) => boolean) | undefined
  return (text) => {
    made ??= make()
    return made(text)
  }
}
