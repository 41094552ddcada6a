import {
  applyEdits,
  createScanner,
  type Edit,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser'
import { toToolName } from '../../tools/registry.ts'
import { propertiesOf } from './add-grants.ts'
import { findComma } from './find-comma.ts'
import { type GrantComment, grantOffsets } from './grant-comment.ts'

/** A rule that *Always* wrote into the text of a `permissions.jsonc`. */
export interface FileGrant {
  /** By our name of it. */
  readonly tool: string
  readonly pattern: string
  /** What its comment says behind `granted`: by whom and when. */
  readonly note: string
  /** The questions that it wins over, as far as its comment says. */
  readonly beats: readonly string[] | undefined
}

/** Every rule that *Always* wrote, in the order of the text; none of a damaged one. */
export function listGrants(text: string): readonly FileGrant[] {
  return granted(text).map(({ tool, name, comment: { note, beats } }) => ({
    tool,
    pattern: String(name.value),
    note,
    beats,
  }))
}

/**
 * Takes out what *Always* allowed of a tool: the rule and its comment. Everything else stays as it is; a rule that a person
 * wrote, or whose comment a person took away, is not found. A damaged text is given back unchanged.
 */
export function removeGrant(text: string, tool: string, pattern: string): string {
  const found = granted(text).find(
    (grant) => grant.tool === toToolName(tool) && grant.name.value === pattern,
  )
  if (found === undefined) return text
  // It may stand there more than once.
  return removeGrant(withoutRule(text, found), tool, pattern)
}

interface Granted {
  readonly tool: string
  readonly comment: GrantComment
  readonly name: Node
  readonly rule: Node
  readonly rules: Node
  readonly property: Node
}

function granted(text: string): readonly Granted[] {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  if (root?.type !== 'object' || errors.length > 0) return []
  const comments = grantOffsets(createScanner(text, false), text)
  const tools = new Set(
    (root.children ?? []).map((one) => toToolName(String(one.children?.[0]?.value))),
  )
  const all = [...tools].flatMap((tool) =>
    propertiesOf(root, tool).flatMap((property) => grantsOf({ tool, property }, comments)),
  )
  return all.toSorted((a, b) => a.name.offset - b.name.offset)
}

function grantsOf(
  of: Pick<Granted, 'tool' | 'property'>,
  comments: ReadonlyMap<number, GrantComment>,
): Granted[] {
  const rules = of.property.children?.[1]
  if (rules?.type !== 'object') return []
  return (rules.children ?? []).flatMap((rule) => {
    const [name, action] = rule.children ?? []
    const comment = name === undefined ? undefined : comments.get(name.offset)
    if (name === undefined || comment === undefined || action?.value !== 'allow') return []
    return [{ ...of, rules, rule, name, comment }]
  })
}

function withoutRule(text: string, { comment, rule, rules, property }: Granted): string {
  const left = applyEdits(text, [wholeLine(text, comment), ...cut(text, rules, rule)])
  // Where nothing is left of the tool's rules, nobody wrote them but *Always*.
  const root = parseTree(left, [], { allowTrailingComma: true })
  const emptied = root?.children?.find(({ offset }) => offset === property.offset)
  const inside = emptied?.children?.[1]
  const isEmpty =
    inside !== undefined &&
    left.slice(inside.offset + 1, inside.offset + inside.length - 1).trim() === ''
  if (root === undefined || emptied === undefined || !isEmpty) return left
  return applyEdits(left, cut(left, root, emptied))
}

/** One member of an object, with the comma that is of no use without it. */
function cut(text: string, object: Node, member: Node): Edit[] {
  const members = object.children ?? []
  const at = members.indexOf(member)
  const end = member.offset + member.length
  const next = members[at + 1]
  const closing = object.offset + object.length - 1
  const behind = findComma(text, end, next?.offset ?? closing)
  if (behind !== undefined) return [cutTo(text, member, behind), ...commaApart(end, behind)]
  const previous = members[at - 1]
  const before =
    previous === undefined
      ? undefined
      : findComma(text, previous.offset + previous.length, member.offset)
  const comma = before === undefined ? [] : [{ offset: before, length: 1, content: '' }]
  return [...comma, wholeLine(text, member)]
}

/** Up to its comma, where that follows at once. */
function cutTo(text: string, member: Node, comma: number): Edit {
  const end = member.offset + member.length
  return wholeLine(text, {
    offset: member.offset,
    length: (comma === end ? end + 1 : end) - member.offset,
  })
}

/** A comment may stand before it. */
function commaApart(end: number, comma: number): Edit[] {
  return comma === end ? [] : [{ offset: comma, length: 1, content: '' }]
}

/** What is cut out goes with its line where nothing else stands there. */
function wholeLine(
  text: string,
  place: { readonly offset: number; readonly length: number },
): Edit {
  const { offset, length } = place
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const lineBreak = text.indexOf('\n', offset + length)
  const lineEnd = lineBreak === -1 ? text.length : lineBreak + 1
  const around = text.slice(lineStart, offset) + text.slice(offset + length, lineEnd)
  // A comment that stood behind it, and reads like one of ours, must not mark the rule below it now that it is alone.
  if (marksRule.test(around)) return { offset, length, content: '// ' }
  if (around.trim() !== '') return { offset, length, content: '' }
  return { offset: lineStart, length: lineEnd - lineStart, content: '' }
}

/** Up to a comma that is cut out too. */
const marksRule = /^\s*,?\s*\/\/ granted(?:\s|$)/
