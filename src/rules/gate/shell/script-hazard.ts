import { onlyLooks } from './awk-program.ts'

/** Why the code in sed's arguments does more than print and substitute; only plain forms are known to be harmless. */
export function sedHazard(words: readonly string[]): string | undefined {
  const given: string[] = []
  const others: string[] = []
  let isScriptNext = false
  for (const word of words.slice(1)) {
    if (isScriptNext) given.push(word)
    else if (/^-[nEruz]*e$/.test(word) || !word.startsWith('-')) {
      if (!word.startsWith('-')) others.push(word)
    } else if (!/^-[nEruz]+$/.test(word) && !harmlessLong.has(word)) {
      return `sed ${word} can write files or run code`
    }
    isScriptNext = !isScriptNext && /^-[nEruz]*e$/.test(word)
  }
  const scripts = given.length > 0 ? given : others.slice(0, 1)
  return scripts.every(isHarmlessSed)
    ? undefined
    : 'this sed script can write files or run commands'
}

/** Why the code in awk's arguments does more than look at its input. */
export function awkHazard(words: readonly string[]): string | undefined {
  let program: string | undefined
  let valueNext = false
  for (const word of words.slice(1)) {
    if (valueNext) valueNext = false
    else if (word === '-F' || word === '-v') valueNext = true
    else if (/^-[Fv]./.test(word)) continue
    else if (word.startsWith('-') && program === undefined) return `awk ${word} can run code`
    else program ??= word
  }
  if (program === undefined) return undefined
  return onlyLooks(program) ? undefined : 'this awk program can open or write files or run commands'
}

const harmlessLong: ReadonlySet<string> = new Set([
  '--quiet',
  '--silent',
  '--regexp-extended',
  '--unbuffered',
  '--null-data',
])

/** A line number, the last line, or a pattern between slashes. */
const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])+/)`
const plainCommand = new RegExp(`^(?:${address}(?:,${address})?)?[pdq=]$`)

function isHarmlessSed(script: string): boolean {
  if (plainCommand.test(script)) return true
  const substitution = /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?s([^\w\s\\])(.*)$/.exec(script)
  const [, mark = '', rest = ''] = substitution ?? []
  if (substitution === null) return false
  const parts = rest.replaceAll(/\\[^\n]/g, '').split(mark)
  return parts.length === 3 && /^[gpiI\d]*$/.test(parts[2] ?? '')
}
