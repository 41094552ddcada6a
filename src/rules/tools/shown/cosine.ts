/** How alike two vectors are, 0 to 1: what points away from the other is not alike at all, and so is one without length. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  const length = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b))
  const likeness = length === 0 ? 0 : dot(a, b) / length
  return Number.isFinite(likeness) ? Math.min(1, Math.max(0, likeness)) : 0
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}
