import type { CommandExpansionPart } from 'unbash'

/** Characters that quote, or that matter in the search for the end of a substitution. */
const counted = /['"`()\\$#]/

/** Up to the line's end, which old shells may or may not take as a comment. */
const comment = /#[^'"`()\\\n]*(?:\n|$)/y

const backquoted = /`[\w .,:;/@=<>*+%^~!?&|-]*`/y

const doubleQuoted = /"[^"`\\$]*"/y

const whole: Readonly<Record<string, RegExp>> = {
  '#': comment,
  '`': backquoted,
  '"': doubleQuoted,
}

/** A `$(cat <<'EOF' … EOF)`: its value, and the index after its `)`. */
export interface HereText {
  readonly value: string
  readonly end: number
}

const opening =
  /\$\([ \t]*cat[ \t]+<<[ \t]*(?:'([A-Za-z_]\w{0,39})'|"([A-Za-z_]\w{0,39})"|([A-Za-z_]\w{0,39}))[ \t]*\n/y
const closing = /[ \t\n]*\)/y

/**
 * Our own parser for a literal text written as a here-document for `cat`: the delimiter is quoted, or nothing in the text could
 * expand. Undefined if the substitution contains anything else, or if the text contains the delimiter, since shells disagree
 * about lines that start with it.
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

/** The same from the parser's tree; undefined if both disagree. */
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

/** Removes trailing line ends like a substitution does. */
function withoutEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end -= 1
  return text.slice(0, end)
}

/**
 * Shells before bash 4 (as on macOS) ignore here-documents when they search for the `)` of a substitution, and count quotes and
 * parentheses in them. Whether they find the same end: the text is balanced for them, or has an open `'` that is never closed, so
 * that they reject the whole command.
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

/** The index after a special character and everything that belongs to it; undefined if shells may disagree. */
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
