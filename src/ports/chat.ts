import type { Card } from '../domain/approval.ts'

/** A message to people, platform-neutral; each adapter renders it. */
export type Outgoing =
  /** A model's answer, in markdown. */
  | { readonly kind: 'answer'; readonly markdown: string; readonly turnId: string }
  /** Words of the product itself: notices, answers of slash commands. Plain text. */
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'card_update'; readonly card: Card }

/** Outcome of one delivery. `refused` is final and becomes a dead letter. */
export type Delivery =
  | { readonly kind: 'sent'; readonly messageId: string }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }

/** Something new that shows while a turn runs; may be lost. */
export type LiveEvent =
  | {
      readonly kind: 'text'
      readonly turnId: string
      readonly epoch: number
      readonly text: string
    }
  | {
      readonly kind: 'progress'
      readonly turnId: string
      readonly epoch: number
      readonly callId: string
      readonly tool: string
      readonly text: string
      readonly elapsedMs: number
    }
  | { readonly kind: 'thinking'; readonly turnId: string; readonly epoch: number }

/** One chat platform, as the gateway drives it. */
export interface ChatPlatform {
  readonly name: string
  /** Delivers to the conversation's id on the platform; `editOf` is the message id of the card to change. */
  deliver(conversation: string, message: Outgoing, editOf?: string): Promise<Delivery>
  live(conversation: string, event: LiveEvent): void
}
