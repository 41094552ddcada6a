import { type ContextSample, contextSamples } from './context-samples.ts'
import { cutSamples } from './cut-samples.ts'
import { forms } from './forms.ts'
import { namedSamples } from './named-samples.ts'
import { tokenSamples } from './token-samples.ts'

/** A text with one credential; `secret` must not remain in it. */
export type SecretCase = ContextSample

/** Indistinguishable from other text; misses of these are documented. */
export const hardFamily = 'known to be hard'

/** The corpus that the documentation refers to. */
export const corpusSeed = 7

/** Every token in every form, and every credential identified by its context. */
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
