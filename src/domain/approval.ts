export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'granted'
  | 'superseded'

/** What a person does with a card. `always` approves and adds the shown patterns as grants. */
export type Decision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'always' }
  | { readonly kind: 'deny'; readonly reason?: string | undefined }

/** APPR-02: everything a card shows, platform-neutral; each adapter renders it. */
export interface Card {
  readonly approvalId: string
  /** The number within the session that `/approve n` takes. */
  readonly number: number
  readonly tool: string
  /** The whole of what will happen: command, path with unified diff, URL. Invisible characters made visible. */
  readonly what: string
  /** Why it asks, one line each. */
  readonly reasons: readonly string[]
  /** What *Always* would allow; empty: not offered. */
  readonly alwaysPatterns: readonly string[]
  readonly requestedBy: string
  readonly whoMayAnswer: string
  /** ISO 8601. */
  readonly expiresAt: string
  /** Words about the box that the person must know (BOX-08), if any. */
  readonly warning?: string
  readonly status: CardStatus
}

/** APPR-13: the card's one line of truth. Only stored states are ever shown. */
export type CardStatus =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'approved'
      readonly by: string
      readonly at: string
      readonly always: boolean
    }
  | { readonly kind: 'granted' }
  | {
      readonly kind: 'denied'
      readonly by: string
      readonly at: string
      readonly reason?: string | undefined
    }
  | { readonly kind: 'expired'; readonly at: string }
  | { readonly kind: 'cancelled'; readonly why: string }
  | { readonly kind: 'running'; readonly by: string }
  | {
      readonly kind: 'finished'
      readonly by: string
      readonly outcome: string
      readonly durationMs: number
    }
