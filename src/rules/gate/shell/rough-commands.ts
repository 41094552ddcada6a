import type { SubCommand } from './analysis.ts'

/** More are refused: each is judged by every rule that may speak of it. */
export const maxCommands = 4_000

const maxWords = 16

/**
 * What may be commands in a text that the parser could not read: so that a deny is found there too. Each word is tried
 * as the start of one, quotes taken away.
 */
export function roughCommands(text: string): readonly SubCommand[] {
  const commands: SubCommand[] = []
  for (const piece of text.split(/[;|&\n(){}`<>]|\$\(/)) {
    const words = piece
      .replaceAll(/["'\\]/g, '')
      .split(/\s+/)
      .filter(Boolean)
    for (let at = 0; at < words.length && commands.length <= maxCommands; at += 1) {
      const rest = words.slice(at, at + maxWords)
      commands.push({ words: rest, source: rest.join(' '), standing: 'wrapped', hazards: [] })
    }
  }
  return commands
}
