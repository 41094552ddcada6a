import type { CommandExpansionPart } from 'unbash'
import { oldShellsAgree } from './old-reading.ts'

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
