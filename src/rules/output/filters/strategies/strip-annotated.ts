import type { Strategy } from './strategy.ts'

/** Drops lines that begin, after indentation, with one of the prefixes (`note:`, `help:`). */
export function createStripAnnotated(prefixes: readonly string[]): Strategy {
  return ({ lines, kept }) => {
    const rest = lines.filter((line, at) => {
      if (kept[at] !== 0) return true
      const text = line.trimStart()
      return !prefixes.some((prefix) => text.startsWith(prefix))
    })
    return { lines: rest, confidence: rest.length < lines.length ? 'full' : 'fallback' }
  }
}
