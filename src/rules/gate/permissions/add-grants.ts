import {
  applyEdits,
  createScanner,
  type JSONScanner,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser'
import { maxRulesCharacters } from '../../../domain/rules-text.ts'
import { toToolName } from '../../tools/registry.ts'
import { formatBeats, splitBeats } from './rule.ts'

const stringLiteral = 10

const lineComment = 12

const lineBreak = 14

const trivia = 15

const opening = '// granted'

const comma = 5

const endOfFile = 17

/**
 * Adds allow rules from *Always* to the text of a `permissions.jsonc`: last among the tool's rules, each under a `// granted …`
 * comment; the rest stays as it is, comments included. Patterns already granted for the same questions are skipped; a damaged
 * text is returned unchanged, as only a person may fix it. `beats`: the questions that each pattern overrides; a missing pattern
 * overrides only a bare `*`. Absent: unknown.
 */
export function addGrants(
  text: string,
  tool: string,
  patterns: readonly string[],
  note: string,
  beats?: Readonly<Record<string, readonly string[]>>,
): string {
  if (text.length > maxRulesCharacters) return text
  const plain = withoutMark(text)
  const added = [...new Set(patterns)].reduce(
    (result, pattern) => addGrant(result, tool, { pattern, note, beats: beatsFor(pattern, beats) }),
    plain,
  )
  if (added === plain || added.length > maxRulesCharacters) return text
  return plain === text ? added : `${text.slice(0, 1)}${added.slice(1)}`
}

interface NewGrant {
  readonly pattern: string
  readonly note: string
  readonly beats: readonly string[] | undefined
}

function beatsFor(
  pattern: string,
  beats: Readonly<Record<string, readonly string[]>> | undefined,
): readonly string[] | undefined {
  if (beats === undefined) return undefined
  return Object.hasOwn(beats, pattern) ? beats[pattern] : []
}

function addGrant(text: string, tool: string, grant: NewGrant): string {
  const { root, errors } = parseRulesTree(text)
  if (root?.type !== 'object' || errors.length > 0) return text
  if (isGranted(root, text, tool, grant)) return text
  const { pattern, note, beats } = grant
  const entry = `${grantComment(note, beats)}\n${JSON.stringify(pattern)}: "allow"`
  const property = propertiesOf(root, tool).at(-1)
  const value = property?.children?.[1]
  if (value?.type === 'object') return insertLast(text, value, indent(entry, '    '), '  ')
  const lines = value === undefined ? [entry] : [`"*": ${JSON.stringify(value.value)},`, entry]
  const object = `{\n${indent(lines.join('\n'), '    ')}\n  }`
  if (value !== undefined) {
    return applyEdits(text, [{ offset: value.offset, length: value.length, content: object }])
  }
  return insertLast(text, root, `  ${JSON.stringify(tool)}: ${object}`, '')
}

/** A tool's rules may stand under one of its aliases. */
export function propertiesOf(root: Node, tool: string): readonly Node[] {
  const name = toToolName(tool)
  return (root.children ?? []).filter(
    (property) => toToolName(String(property.children?.[0]?.value)) === name,
  )
}

/**
 * Whether the pattern is already granted for at least these questions, so that no new rule is needed: each grant overrides its
 * own questions only.
 */
function isGranted(root: Node, text: string, tool: string, { pattern, beats }: NewGrant): boolean {
  const grants = grantOffsets(createScanner(text, false), text)
  return propertiesOf(root, tool).some((property) =>
    property.children?.[1]?.children?.some((rule) => {
      const [name, action] = rule.children ?? []
      if (name?.value !== pattern || action?.value !== 'allow') return false
      const known = grants.get(name.offset)
      return known !== undefined && covers(known.beats, beats)
    }),
  )
}

function covers(
  known: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): boolean {
  if (known === undefined || wanted === undefined) return wanted === undefined
  return wanted.every((name) => known.includes(name))
}

/** Inserts lines before an object's closing brace, after any comments there. */
function insertLast(text: string, object: Node, lines: string, closing: string): string {
  const brace = object.offset + object.length - 1
  const last = object.children?.at(-1)
  const end = last === undefined ? undefined : last.offset + last.length
  const before = text.slice(0, brace).trimEnd()
  const edited = `${before}\n${lines}\n${closing}${text.slice(brace)}`
  if (end === undefined || findComma(text, end, brace) !== undefined) return edited
  return `${edited.slice(0, end)},${edited.slice(end)}`
}

function indent(lines: string, by: string): string {
  return lines.replaceAll(/^/gm, by)
}

/** The offset of the first comma between two offsets that is not in a comment. */
export function findComma(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(from, to), true)
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    if (token === comma) return from + scanner.getTokenOffset()
  }
  return undefined
}

/** JSON with comments as a tree; no root: the text is empty, or nested too deeply for the parser's stack. */
interface RulesTree {
  readonly root: Node | undefined
  readonly errors: readonly ParseError[]
}

/** Never throws. */
export function parseRulesTree(text: string): RulesTree {
  const errors: ParseError[] = []
  try {
    return { root: parseTree(text, errors, { allowTrailingComma: true }), errors }
  } catch {
    return { root: undefined, errors }
  }
}

/** Replaces a byte order mark, which some editors write, by a space, so that lines and offsets do not change. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text
}

/**
 * The comment above a rule from *Always*, which marks it (GATE-02). It ends with the questions that the rule overrides, if known,
 * so that they survive a restart (APPR-07).
 */
function grantComment(note: string, beats: readonly string[] | undefined): string {
  const line = note.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const said = (line.startsWith('granted ') ? `// ${line}` : `${opening} ${line}`).trimEnd()
  return beats === undefined ? said : `${said}${formatBeats(beats)}`
}

/** The location and content of such a comment. */
export interface GrantComment {
  readonly offset: number
  readonly length: number
  /** The person and the time of the grant. */
  readonly note: string
  readonly beats: readonly string[] | undefined
}

/** The offsets of keys directly below such a comment (on a line of its own), with the comment. */
export function grantOffsets(
  scanner: JSONScanner,
  text: string,
): ReadonlyMap<number, GrantComment> {
  const offsets = new Map<number, GrantComment>()
  let granted: GrantComment | undefined
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    const offset = scanner.getTokenOffset()
    if (token === lineComment) {
      const length = scanner.getTokenLength()
      const comment = text.slice(offset, offset + length)
      const isOne = isGrant(comment.trimEnd()) && hasOwnLine(text, offset)
      granted = isOne ? { offset, length, ...readComment(comment) } : undefined
    } else if (token !== lineBreak && token !== trivia) {
      if (granted !== undefined && token === stringLiteral) offsets.set(offset, granted)
      granted = undefined
    }
  }
  return offsets
}

function readComment(comment: string): Pick<GrantComment, 'note' | 'beats'> {
  const { text, beats } = splitBeats(comment.slice(opening.length).trim())
  return { note: text, beats }
}

function isGrant(comment: string): boolean {
  return comment === opening || comment.startsWith(`${opening} `)
}

function hasOwnLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, offset - 200), offset))
}
