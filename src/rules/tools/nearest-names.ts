import { distance as levenshtein } from 'fastest-levenshtein'

/** REG-05: the at most three of `names` that are most like `name`; one that contains the other counts as near. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const wanted = name.slice(0, 64).toLowerCase()
  return names
    .map((candidate) => ({ candidate, score: distance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.score - b.score || a.candidate.localeCompare(b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

function distance(wanted: string, candidate: string): number {
  const edits = levenshtein(wanted, candidate)
  const contained = wanted !== '' && (wanted.includes(candidate) || candidate.includes(wanted))
  return contained ? edits / 10 : edits
}
