import { onlyLooks } from './awk-program.ts'
import { onlyEdits } from './sed-program.ts'

/** Why the code in sed's arguments does more than print and substitute; only plain forms are known to be harmless. */
export function sedHazard(words: readonly string[]): string | undefined {
  const given: string[] = []
  const others: string[] = []
  let isScriptNext = false
  for (const word of words.slice(1)) {
    const attached = /^--expression=(.*)$/s.exec(word)?.[1]
    if (isScriptNext || attached !== undefined) given.push(attached ?? word)
    else if (!word.startsWith('-')) others.push(word)
    else if (!takesScript.test(word) && !/^-[nErusz]+$/.test(word) && !harmlessLong.has(word))
      return `sed ${word} can write files or run code`
    isScriptNext = !isScriptNext && takesScript.test(word)
  }
  // A command of one script may go on in the next.
  const script = given.length > 0 ? given.join('\n') : (others[0] ?? '')
  return onlyEdits(script) ? undefined : 'this sed script can write files or run commands'
}

const takesScript = /^(?:-[nErusz]*e|--expression)$/

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
