import type { CommandExpansionPart } from 'unbash'

/** Signs that quote, or that count in the search for the end of a substitution. */
const counted = /['"`()\\$#]/

/** Up to the line's end, where it may be a comment to an old shell or not. */
const comment = /#[^'"`()\\\n]*(?:\n|$)/y

const backquoted = /`[\w .,:;/@=<>*+%^~!?&|-]*`/y

const doubleQuoted = /"[^"`\\$]*"/y

const whole: Readonly<Record<string, RegExp>> = {
  '#': comment,
  '`': backquoted,
  '"': doubleQuoted,
}

/** A `$(cat <<'EOF' … EOF)`: what it gives, and the place behind its `)`. */
export interface HereText {
  readonly value: string
  readonly end: number
}

const opening =
  /\$\([ \t]*cat[ \t]+<<[ \t]*(?:'([A-Za-z_]\w{0,39})'|"([A-Za-z_]\w{0,39})"|([A-Za-z_]\w{0,39}))[ \t]*\n/y
const closing = /[ \t\n]*\)/y

/**
 * Our own reading of a literal text that is written as a here-document for `cat`: the delimiter is quoted, or nothing in
 * the text could expand. Undefined where anything else stands in the substitution, and where the delimiter is in the
 * text too: shells do not agree about lines that begin with it.
 */
export function hereTextAt(text: string, at: number): HereText | undefined {
  opening.lastIndex = at
  const found = opening.exec(text)
  if (found === null) return undefined
  const [start, single, double, bare = ''] = found
  const delimiter = single ?? double ?? bare
  const from = at + start.length
  const stop = text.indexOf(delimiter, from)
  const behind = stop + delimiter.length
  const isLine = stop === from || text[stop - 1] === '\n'
  if (stop === -1 || !isLine || text[behind] !== '\n') return undefined
  const body = text.slice(from, stop)
  if (bare !== '' && /[$`\\]/.test(body)) return undefined
  closing.lastIndex = behind
  if (!closing.test(text) || !oldShellsAgree(body, text.slice(stop))) return undefined
  return { value: withoutEnd(body), end: closing.lastIndex }
}

/** The same by the parser's tree; undefined where the two do not agree. */
export function hereTextOf(part: CommandExpansionPart): string | undefined {
  const own = hereTextAt(part.text, 0)
  if (own === undefined || own.end !== part.text.length) return undefined
  const [statement, ...others] = part.script?.commands ?? []
  const command = statement?.command
  if (others.length > 0 || command?.type !== 'Command' || statement?.background === true)
    return undefined
  const [document, ...more] = command.suffix
  const isAlone = more.length === 0 && command.prefix.length === 0 && command.name?.text === 'cat'
  if (!isAlone || document?.type !== 'HereDoc' || document.operator !== '<<') return undefined
  if (document.descriptor !== undefined || document.closing === undefined) return undefined
  return withoutEnd(document.body.text) === own.value ? own.value : undefined
}

/** As a substitution does it. */
function withoutEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end -= 1
  return text.slice(0, end)
}

/**
 * Shells before bash 4 (macOS has one) do not know a here-document while they look for the `)` of the substitution that it
 * stands in: quotes and parentheses in it count. Whether they find the same end: the text is balanced to them, or
 * leaves a `'` open that nothing behind it closes, so that they refuse the whole.
 */
function oldShellsAgree(body: string, behind: string): boolean {
  let depth = 0
  for (let at = 0; at < body.length; ) {
    const character = body[at] ?? ''
    if (!counted.test(character)) at += 1
    else if (character === "'") {
      const end = body.indexOf("'", at + 1)
      if (end === -1) return !behind.includes("'")
      at = end + 1
    } else {
      const next = behindSign(character, body, at)
      if (next === undefined) return false
      if (character === '(') depth += 1
      if (character === ')') depth -= 1
      if (depth < 0) return false
      at = next
    }
  }
  return depth === 0
}

/** Where reading goes on after a sign and all that belongs to it; undefined where shells may differ about it. */
function behindSign(sign: string, body: string, at: number): number | undefined {
  const next = body[at + 1] ?? ''
  if (sign === '$') return /['"`({[]/.test(next) ? undefined : at + 1
  if (sign === '(' || sign === ')') return at + 1
  if (sign === '\\') return undefined
  if (sign === '#' && /[^\s;&|()<>]/.test(body[at - 1] ?? '\n')) return at + 1
  const pattern = whole[sign]
  if (pattern === undefined) return undefined
  pattern.lastIndex = at
  return pattern.test(body) ? pattern.lastIndex : undefined
}
