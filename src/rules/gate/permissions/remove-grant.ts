import {
  applyEdits,
  createScanner,
  type Edit,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser'
import { toToolName } from '../../tools/registry.ts'
import { findComma, type GrantComment, grantOffsets, propertiesOf } from './add-grants.ts'

/** A rule from *Always* in a `permissions.jsonc`. */
export interface FileGrant {
  /** The tool's own name. */
  readonly tool: string
  readonly pattern: string
  /** The comment after `granted`: who and when. */
  readonly note: string
  /** The questions that it overrides, if its comment names them. */
  readonly beats: readonly string[] | undefined
}

/** All rules from *Always* in the order of the text; none if the text is damaged. */
export function listGrants(text: string): readonly FileGrant[] {
  return granted(text).map(({ tool, name, comment: { note, beats } }) => ({
    tool,
    pattern: String(name.value),
    note,
    beats,
  }))
}

/**
 * Removes a rule from *Always* with its comment; the rest stays as it is. A rule written by a person, or without its comment, is
 * not found. A damaged text is returned unchanged.
 */
export function removeGrant(text: string, tool: string, pattern: string): string {
  const found = granted(text).find(
    (grant) => grant.tool === toToolName(tool) && grant.name.value === pattern,
  )
  if (found === undefined) return text
  // The rule may occur more than once.
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
  // If the tool has no rules left, only *Always* had written them.
  const root = parseTree(left, [], { allowTrailingComma: true })
  const emptied = root?.children?.find(({ offset }) => offset === property.offset)
  const inside = emptied?.children?.[1]
  const isEmpty =
    inside !== undefined &&
    left.slice(inside.offset + 1, inside.offset + inside.length - 1).trim() === ''
  if (root === undefined || emptied === undefined || !isEmpty) return left
  return applyEdits(left, cut(left, root, emptied))
}

/** Removes a member of an object, with the comma that is no longer needed. */
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

/** Includes the comma if it follows directly. */
function cutTo(text: string, member: Node, comma: number): Edit {
  const end = member.offset + member.length
  return wholeLine(text, {
    offset: member.offset,
    length: (comma === end ? end + 1 : end) - member.offset,
  })
}

/** There may be a comment before the comma. */
function commaApart(end: number, comma: number): Edit[] {
  return comma === end ? [] : [{ offset: comma, length: 1, content: '' }]
}

/** Removes the whole line if nothing else stands on it. */
function wholeLine(
  text: string,
  place: { readonly offset: number; readonly length: number },
): Edit {
  const { offset, length } = place
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const lineBreak = text.indexOf('\n', offset + length)
  const lineEnd = lineBreak === -1 ? text.length : lineBreak + 1
  const around = text.slice(lineStart, offset) + text.slice(offset + length, lineEnd)
  // A comment after the rule that looks like a grant comment must not mark the rule below once it stands alone.
  if (marksRule.test(around)) return { offset, length, content: '// ' }
  if (around.trim() !== '') return { offset, length, content: '' }
  return { offset: lineStart, length: lineEnd - lineStart, content: '' }
}

/** Up to a comma that is removed too. */
const marksRule = /^\s*,?\s*\/\/ granted(?:\s|$)/
