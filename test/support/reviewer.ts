import type { ModelRequest } from '../../src/ports/model.ts'
import { createScriptedModel, type ScriptedModel, say } from './scripted-model.ts'

/** What a reviewer was shown of one call. */
export interface Shown {
  readonly review: string
  readonly tool: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the arguments of any tool
  readonly arguments: any
  readonly paths_lead_to?: readonly string[]
  readonly person_wrote: string
  readonly person_wrote_earlier: readonly string[]
}

export function shownIn({ messages: [message] }: ModelRequest): Shown {
  if (message?.role !== 'user') throw new Error('a reviewer is shown one message')
  return JSON.parse(message.text)
}

/** As a reviewer that does what it was told answers. */
export function verdict(shown: Shown, word: 'allow' | 'deny', reason = 'so it seems') {
  return say(JSON.stringify({ review: shown.review, verdict: word, reason }))
}

/** A model that reviews by `decide`; what that throws it throws. */
export function createReviewer(
  decide: (shown: Shown, index: number) => 'allow' | 'deny' | Promise<'allow' | 'deny'>,
  reason?: string,
): ScriptedModel {
  const model = createScriptedModel(async (request, index) => {
    const shown = shownIn(request)
    return verdict(shown, await decide(shown, index), reason)
  })
  return Object.assign(model, { name: 'small' })
}

export const reviewing: Readonly<Record<string, string>> = {
  COUNTERSIGN_TOOLS_ADVERSARIAL_POLICY_ENABLED: 'true',
}

/** Keys of the section. */
export function reviewSettings(keys: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(keys).map(([key, value]) => [
    `COUNTERSIGN_TOOLS_ADVERSARIAL_POLICY_${key}`,
    value,
  ])
  return { ...reviewing, ...Object.fromEntries(named) }
}
