/** Why the code in sed's arguments does more than print and substitute; only plain forms are known to be harmless. */
export function sedHazard(words: readonly string[]): string | undefined {
  let script: string | undefined
  for (const word of words.slice(1)) {
    if (word.startsWith('-') && !/^-[nEruz]+$/.test(word) && !harmlessLong.has(word)) {
      return `sed ${word} can write files or run code`
    }
    if (!word.startsWith('-')) script ??= word
  }
  if (script === undefined || isHarmlessSed(script)) return undefined
  return 'this sed script can write files or run commands'
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
  // By ARGV a program opens files that no word names.
  const acts =
    /system|getline|close|fflush|[|@`]|ENVIRON|ARG[CV]|SYMTAB|FUNCTAB/.test(program) ||
    // Behind `print` it redirects; elsewhere it compares.
    (program.includes('>') && program.includes('print'))
  return acts ? 'this awk program can open or write files or run commands' : undefined
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
