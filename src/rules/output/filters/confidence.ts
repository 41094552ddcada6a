/** OUT-06: how sure a filter is that it understood the output, from sure to not at all. */
export const confidences = ['full', 'partial', 'fallback'] as const
export type Confidence = (typeof confidences)[number]

/** Of several stages the one that was least sure decides. */
export function worstOf(stages: readonly Confidence[]): Confidence {
  const worst = Math.max(0, ...stages.map((stage) => confidences.indexOf(stage)))
  return confidences[worst] ?? 'fallback'
}
