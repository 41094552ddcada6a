/** What Slack sends to an app, by the name that Socket Mode has for it. */
export type DeliveryKind = 'events_api' | 'interactive' | 'slash_commands'

export interface Retry {
  /** From 1. */
  readonly attempt: number
  readonly reason: string
}

export interface Delivery {
  readonly kind: DeliveryKind
  readonly payload: Readonly<Record<string, unknown>>
  /** Whether what comes with the acknowledgement means anything. */
  readonly acceptsResponse: boolean
  readonly retry: Retry | undefined
}

export type AckOutcome =
  /** `body`: what came with it. */
  | { readonly kind: 'acked'; readonly body: unknown }
  | { readonly kind: 'failed'; readonly reason: string; readonly noRetry?: boolean }

/** How what happens reaches the app: Socket Mode, or requests to its URL. */
export interface Transport {
  send(delivery: Delivery, timeoutMs: number): Promise<AckOutcome>
}
