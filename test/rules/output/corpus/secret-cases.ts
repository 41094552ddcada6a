import { type ContextSample, contextSamples } from './context-samples.ts'
import { cutSamples } from './cut-samples.ts'
import { forms } from './forms.ts'
import { namedSamples } from './named-samples.ts'
import { tokenSamples } from './token-samples.ts'

/** A text with one credential in it, of which `secret` must not be left. */
export type SecretCase = ContextSample

/** Those that nobody can tell from other text; what is missed of them is said, not hidden. */
export const hardFamily = 'known to be hard'

/** Of the corpus that the documentation speaks of. */
export const corpusSeed = 7

/** Every token in every form, and every credential that its surroundings tell. */
export function secretCases(seed: number): readonly SecretCase[] {
  const tokens = tokenSamples(seed).flatMap(({ family, service, value }) =>
    forms.map(({ name, make }) => ({
      family,
      name: `${service}: ${name}`,
      text: make(value),
      secret: value,
    })),
  )
  return [...tokens, ...namedSamples(seed), ...contextSamples(seed), ...cutSamples(seed)]
}
