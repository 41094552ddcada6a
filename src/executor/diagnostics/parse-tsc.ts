import { type Diagnostic, toMessage } from './diagnostic.ts'

const located =
  /^(?<file>.+)\((?<line>\d{1,9}),(?<col>\d{1,9})\): (?<severity>error|warning) (?<message>TS\d+: .*)$/
const general = /^(?<severity>error|warning) (?<message>TS\d+: .*)$/

/** What `tsc --pretty false` prints: a line an entry; indented lines go on with the message above. */
export function parseTsc(output: string): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  for (const line of output.split(/\r?\n/)) {
    const last = found.at(-1)
    const diagnostic = parseLine(line)
    if (diagnostic !== undefined) found.push(diagnostic)
    else if (/^\s+\S/.test(line) && last !== undefined) {
      found[found.length - 1] = { ...last, message: toMessage(`${last.message}\n${line}`) }
    }
  }
  return found
}

function parseLine(line: string): Diagnostic | undefined {
  const groups = (located.exec(line) ?? general.exec(line))?.groups
  if (groups === undefined) return undefined
  const { file, line: at, col, severity, message = '' } = groups
  return {
    severity: severity === 'warning' ? 'warning' : 'error',
    message: toMessage(message),
    file,
    line: at === undefined ? undefined : Number(at),
    col: col === undefined ? undefined : Number(col),
  }
}
