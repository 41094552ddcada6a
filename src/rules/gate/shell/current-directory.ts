import type { ParsedScript, SyntaxNode } from 'unbash'
import { nodesOf } from './variables/variable-places.ts'

/** Programs that take words relative to another directory than the shell's. */
const elsewhere = /^-[A-Za-z]*C|^--(?:dir|cwd|chdir|cd(?:=|$)|prefix|root|directory)|^-execdir$/

/**
 * SHELL-12: a script with `.` in place of `$PWD` and `$(pwd)` in arguments, which name the directory that the shell is in.
 * Undefined if there is none.
 */
export function writeOutDirectory(script: ParsedScript, text: string): string | undefined {
  if (!mentions.test(text)) return undefined
  const places = nodesOf(script).flatMap(placesIn)
  let result = ''
  let at = 0
  for (const { pos, end } of places.sort((one, other) => one.pos - other.pos)) {
    if (pos < at) continue
    result += `${text.slice(at, pos)}.`
    at = end
  }
  return places.length === 0 ? undefined : result + text.slice(at)
}

const mentions = /\$PWD\b|\$\{PWD\}|\$\(pwd\)/

function placesIn(node: SyntaxNode): readonly { readonly pos: number; readonly end: number }[] {
  if (node.type !== 'Command' || /^(?:echo|printf)$/.test(node.name?.text ?? '')) return []
  if (node.args.some(({ text }) => elsewhere.test(text) || /^\$[({]?(?:pwd|PWD)[)}]?$/.test(text)))
    return []
  return node.args
    .flatMap((word) => (word.type === 'Word' ? (word.parts ?? []) : []))
    .flatMap((part) => (part.type === 'DoubleQuoted' ? [...part.parts] : [part]))
    .filter(({ text }) => new RegExp(`^(?:${mentions.source})$`).test(text))
    .map(({ pos, end }) => ({ pos, end }))
}
