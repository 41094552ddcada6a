import type { EntryKind } from './entries.ts'

const names: Readonly<Record<EntryKind, readonly [one: string, many: string]>> = {
  directory: ['directory', 'directories'],
  file: ['file', 'files'],
  link: ['link', 'links'],
  other: ['special file', 'special files'],
}

/** Counts processed entries by kind. */
export class Tally {
  readonly #counts = new Map<EntryKind, number>()

  add(kind: EntryKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Formats the counts: `2 directories, 1 file`. */
  toString(): string {
    return Object.entries(names)
      .map(([kind, words]) => ({ words, count: this.#counts.get(kind as EntryKind) ?? 0 }))
      .filter(({ count }) => count > 0)
      .map(({ words: [one, many], count }) => `${count} ${count === 1 ? one : many}`)
      .join(', ')
  }
}

/** Describes a file's further hard links; undefined if it has none. Their locations are unknown. */
export function otherNames(links: number): string | undefined {
  if (links < 2) return undefined
  return links === 2 ? '1 other name (a hard link)' : `${links - 1} other names (hard links)`
}

/** Returns a note for a call that replaced a file with further hard links; otherwise an empty text. */
export function leftBehind(links: number): string {
  const names = otherNames(links)
  return names === undefined ? '' : `\n(the file had ${names}: what it held is still there)`
}
