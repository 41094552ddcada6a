import type { SubCommand } from './analysis.ts'
import { innerCommands } from './inner-commands.ts'
import { baseName } from './programs/program-name.ts'
import { wrappers } from './programs/programs.ts'

/** More are refused: each is evaluated by every rule that may match it. */
export const maxCommands = 4_000

const maxWords = 16

/**
 * Guesses the commands in a text that the parser could not read, so that deny rules still apply. Each word is tried as the start
 * of a command, without quotes.
 */
export function roughCommands(text: string): readonly SubCommand[] {
  const commands: SubCommand[] = []
  const seen = new Set<string>()
  for (const piece of text.split(/[;|&\n(){}`<>]|\$\(/)) {
    const words = piece
      .replaceAll(/["'\\]/g, '')
      .split(/\s+/)
      .filter(Boolean)
    for (let at = 0; at < words.length && commands.length <= maxCommands; at += 1) {
      const rest = words.slice(at, at + maxWords)
      for (const found of [rest, ...attachedCode(rest)]) {
        const source = found.join(' ')
        const overlaps = found === rest && at % (maxWords - 1) > 0
        const key = `${overlaps} ${source}`
        if (seen.has(key)) continue
        seen.add(key)
        commands.push({ words: found, source, standing: 'wrapped', hazards: [], overlaps })
      }
    }
  }
  return commands
}

/** Code attached to an option, `env -Srm x`: no word starts with it, so it needs a guess of its own. */
function attachedCode(words: readonly string[]): readonly (readonly string[])[] {
  if (!wrappers.has(baseName(words[0] ?? ''))) return []
  if (!words.some((word) => word.length > 2 && word.startsWith('-'))) return []
  const { scripts } = innerCommands(words)
  return scripts.map((code) => code.split(/\s+/))
}
