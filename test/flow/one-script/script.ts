import type { Step as ModelStep } from '../telegram/scenes.ts'

/** How a person answers one card, by whatever the platform offers for it. */
export type Answer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'always' }
  | { readonly kind: 'deny'; readonly reason?: string }
  /** Changes the call, and thereby approves what it is then. */
  | { readonly kind: 'edit'; readonly written: string }

/** Something that a person does, or looks for, on any platform. */
export type Step =
  /** A message, or a slash command; what comes of it is waited for. */
  | { readonly kind: 'says'; readonly text: string }
  | { readonly kind: 'answers'; readonly number: number; readonly answer: Answer }
  /** The same of a card for several questions. */
  | { readonly kind: 'answers_all'; readonly how: 'approve' | 'deny' }
  | { readonly kind: 'sees'; readonly words: readonly string[] }
  /** The card of a question, as it is now. */
  | { readonly kind: 'sees_card'; readonly number: number; readonly words: readonly string[] }
  /** All of something long: in a file where the platform has files, else printed. */
  | { readonly kind: 'sees_file'; readonly name: string; readonly words: readonly string[] }

/** A conversation that goes the same way on every platform. */
export interface Script {
  /** Begins with the ids of what it shows. */
  readonly title: string
  /** What the model does after which message. */
  readonly scenes: readonly (readonly [opening: string, ...steps: readonly ModelStep[]])[]
  readonly steps: readonly Step[]
}

export function says(text: string): Step {
  return { kind: 'says', text }
}

export function approves(number: number): Step {
  return { kind: 'answers', number, answer: { kind: 'approve' } }
}

export function approvesAlways(number: number): Step {
  return { kind: 'answers', number, answer: { kind: 'always' } }
}

export function denies(number: number, reason?: string): Step {
  const answer: Answer = { kind: 'deny', ...(reason !== undefined && { reason }) }
  return { kind: 'answers', number, answer }
}

export function edits(number: number, written: string): Step {
  return { kind: 'answers', number, answer: { kind: 'edit', written } }
}

export function answersAll(how: 'approve' | 'deny'): Step {
  return { kind: 'answers_all', how }
}

export function sees(...words: readonly string[]): Step {
  return { kind: 'sees', words }
}

export function seesCard(number: number, ...words: readonly string[]): Step {
  return { kind: 'sees_card', number, words }
}

export function seesFile(name: string, ...words: readonly string[]): Step {
  return { kind: 'sees_file', name, words }
}
