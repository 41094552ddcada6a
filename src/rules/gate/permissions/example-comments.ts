import { createScanner, type JSONScanner, type Node } from 'jsonc-parser'
import type { Rule, RuleExample, RuleProblem } from './rule.ts'

/** Finds the line, from 1, of an offset in a text by binary search. */
export class LineCounter {
  readonly #starts: readonly number[]

  constructor(text: string) {
    const starts = [0]
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1))
      starts.push(at + 1)
    this.#starts = starts
  }

  at(offset: number): number {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The location of a rule, or of a tool's braces, in the text. */
export interface RulePlace {
  readonly name: Node
  readonly value: Node
  readonly tool: string
  /** Absent for a tool with patterns. */
  readonly rule?: Rule
}

interface ReadExamples {
  readonly examples: readonly RuleExample[]
  /** Example comments that belong to no rule, or are empty. */
  readonly lost: readonly RuleProblem[]
}

interface Comment {
  readonly offset: number
  readonly word: Word
  readonly text: string
}

type Word = 'match' | 'no match' | 'allow' | 'ask' | 'deny'

const maxExamples = 500

const maxCharacters = 1_000

const opening = /^\/\/[ \t]*(?:((?:no[ -]?)?match)|(allow|ask|deny)):[ \t]*(.*)$/is

/**
 * APPR-21: reads comments such as `// match: git push origin main`, each for the rule on the line where it ends, else for the
 * next rule below; `// allow:`, `// ask:` and `// deny:` apply to that rule's tool, or to the tool whose braces enclose them.
 */
export function readExamples(
  text: string,
  places: readonly RulePlace[],
  lines: LineCounter,
): ReadExamples {
  if (!/\/\/[ \t]*(?:(?:no[ -]?)?match|allow|ask|deny):/i.test(text))
    return { examples: [], lost: [] }
  const examples: RuleExample[] = []
  const lost: RuleProblem[] = []
  for (const { comment, place } of attach(createScanner(text, false), text, places)) {
    const line = lines.at(comment.offset)
    const read = toExample(comment, place, line)
    if (typeof read !== 'string') examples.push(read)
    else lost.push({ line, message: read })
  }
  if (examples.length <= maxExamples) return { examples, lost }
  return {
    examples: [],
    lost: [{ line: 0, message: `there are more than ${maxExamples} examples` }],
  }
}

function toExample(
  { word, text }: Comment,
  place: RulePlace | undefined,
  line: number,
): RuleExample | string {
  if (text === '') return `nothing stands after "${word}:"`
  if (text.length > maxCharacters) return `an example may have at most ${maxCharacters} characters`
  if (place === undefined) return `the example "${word}:" stands at no rule and no tool`
  const { tool, rule } = place
  if (word !== 'match' && word !== 'no match') {
    return { line, text, tool, claim: { kind: 'verdict', action: word } }
  }
  if (rule === undefined)
    return `the example "${word}:" stands at no rule: put it above or beside one`
  return { line, text, tool, claim: { kind: word, rule } }
}

interface Attached {
  readonly comment: Comment
  readonly place: RulePlace | undefined
}

const lineComment = 12

const blockComment = 13

const lineBreak = 14

const trivia = 15

const endOfFile = 17

function attach(scanner: JSONScanner, text: string, places: readonly RulePlace[]): Attached[] {
  const byName = new Map(places.map((place) => [place.name.offset, place]))
  const byValue = new Map(
    places.flatMap((place) => (place.rule ? [[place.value.offset, place]] : [])),
  )
  const attached: Attached[] = []
  let above: Comment[] = []
  let beside: RulePlace | undefined
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    const offset = scanner.getTokenOffset()
    if (token === lineBreak) beside = undefined
    if (token === lineComment) {
      const comment = toComment(text.slice(offset, offset + scanner.getTokenLength()), offset)
      if (comment === undefined) continue
      if (beside === undefined) above.push(comment)
      else attached.push({ comment, place: beside })
    } else if (token !== lineBreak && token !== trivia && token !== blockComment) {
      const next = byName.get(offset)
      attached.push(
        ...above.map((comment) => ({ comment, place: next ?? around(places, comment) })),
      )
      above = []
      beside = byValue.get(offset) ?? (text[offset] === ',' ? beside : undefined)
    }
  }
  return [...attached, ...above.map((comment) => ({ comment, place: undefined }))]
}

/** The tool whose braces enclose a comment, for examples about all of its rules. */
function around(places: readonly RulePlace[], { offset }: Comment): RulePlace | undefined {
  return places.find(
    ({ value, rule }) =>
      rule === undefined && value.offset < offset && offset < value.offset + value.length,
  )
}

function toComment(text: string, offset: number): Comment | undefined {
  const [, match, action, example = ''] = opening.exec(text) ?? []
  const word = action === undefined ? toWord(match) : toAction(action)
  return word === undefined ? undefined : { offset, word, text: example.trim() }
}

function toWord(match: string | undefined): Word | undefined {
  if (match === undefined) return undefined
  return /^no/i.test(match) ? 'no match' : 'match'
}

/** Lower case only: `// Deny: …` starts an ordinary sentence. */
function toAction(action: string): Word | undefined {
  return action === 'allow' || action === 'ask' || action === 'deny' ? action : undefined
}
