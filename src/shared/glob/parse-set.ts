import type { CharacterSet, CodeRange } from './glob-node.ts'

/** Thrown by the glob parser for unsupported patterns. The message is one clause without a full stop. */
export class GlobRefused extends Error {
  override readonly name = 'GlobRefused'
}

const classes: Readonly<Record<string, string>> = {
  alnum: '09AZaz',
  alpha: 'AZaz',
  digit: '09',
  lower: 'az',
  punct: '!/:@[`{~',
  space: '\t\r  ',
  upper: 'AZ',
  word: '09AZ__az',
  xdigit: '09AFaf',
}

/**
 * Parses the set that begins with the `[` at `start` (`[a-z]`, `[!a]`, `[^a]`, `[[:alpha:]]`); undefined if it is not
 * closed. Throws GlobRefused for a set with a `/`, an unknown class, or a reversed range.
 */
export function parseSet(
  text: readonly string[],
  start: number,
): { readonly set: CharacterSet; readonly end: number } | undefined {
  const negated = text[start + 1] === '!' || text[start + 1] === '^'
  const first = start + (negated ? 2 : 1)
  if (!isClosed(text, first)) return undefined
  const ranges: CodeRange[] = []
  let at = first
  while (text[at] !== ']' || at === first) {
    const member = parseMember(text, at)
    ranges.push(...member.ranges)
    at = member.end
  }
  return { set: { kind: 'set', negated, ranges }, end: at + 1 }
}

/** True if an unescaped `]` after the first position closes the set. */
function isClosed(text: readonly string[], first: number): boolean {
  for (let at = first; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === ']' && at > first) return true
  }
  return false
}

function parseMember(
  text: readonly string[],
  at: number,
): { readonly ranges: readonly CodeRange[]; readonly end: number } {
  const named = /^\[([:.=])([^\]]*)\1\]/.exec(text.slice(at, at + 12).join(''))
  if (named !== null) {
    const [whole, sign, name = ''] = named
    const known = sign === ':' && Object.hasOwn(classes, name) ? classes[name] : undefined
    if (known === undefined) refuse(`"${whole}" is not a class of characters`)
    return { ranges: rangesOf(known), end: at + whole.length }
  }
  const from = characterAt(text, at)
  if (text[from.end] !== '-' || text[from.end + 1] === ']') {
    return { ranges: [[from.code, from.code]], end: from.end }
  }
  const to = characterAt(text, from.end + 1)
  if (to.code < from.code) refuse('a range between "[" and "]" runs backwards')
  return { ranges: [[from.code, to.code]], end: to.end }
}

function characterAt(
  text: readonly string[],
  at: number,
): { readonly code: number; readonly end: number } {
  const index = text[at] === '\\' ? at + 1 : at
  const character = text[index]
  if (character === undefined) refuse('a "[" has no "]" of its own; write "\\[" for itself')
  if (character === '/') refuse('a "/" cannot stand between "[" and "]"')
  return { code: codeOf(character), end: index + 1 }
}

function rangesOf(pairs: string): CodeRange[] {
  const ranges: CodeRange[] = []
  for (let at = 0; at < pairs.length; at += 2) {
    ranges.push([pairs.charCodeAt(at), pairs.charCodeAt(at + 1)])
  }
  return ranges
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0
}

export function refuse(why: string): never {
  throw new GlobRefused(why)
}
