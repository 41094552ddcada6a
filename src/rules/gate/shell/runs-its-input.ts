import { baseName } from './program-name.ts'
import { isInterpreter, wrappers } from './programs.ts'

/** Programs that make commands of the lines they read. */
const takesLines: ReadonlySet<string> = new Set(['xargs', 'parallel', 'batch', 'at', 'entr'])

/** Whether a command takes what it runs from its standard input: a shell or interpreter without a script, `xargs`. */
export function runsItsInput(words: readonly string[]): boolean {
  const program = baseName(words[0] ?? '').toLowerCase()
  if (takesLines.has(program)) return true
  const takesCode = wrappers.get(program)?.takesCode === true
  if (!takesCode && !(isInterpreter(program) && !/awk$/.test(program))) return false
  const first = words[1]
  return first === undefined || first.startsWith('-') || first.startsWith('/dev/')
}
