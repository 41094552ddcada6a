import type { Effect } from '../../../domain/effect.ts'
import type { Action, Asking, TraceEntry } from '../../../domain/verdict.ts'

/** A result of a check on one call; the strictest finding decides. */
export type Finding = TraceEntry & {
  /** Raises the risk: a shell hazard, an outside path, a redirection that is denied. */
  readonly isHazard?: boolean
  /** CARD-01: the consequence that a card shows for it; a hazard without one is shown by its reason. */
  readonly effect?: Effect
  /** Why it asks, where that is no consequence of the call. */
  readonly asks?: Asking
  /** A denied value may be part of it, so it applies even if the gate is switched off. */
  readonly mayBeDenied?: boolean
  /** The session grant that turned ask into allow. */
  readonly grantId?: string
  /** No grant could override it, so none is offered. */
  readonly isFirm?: boolean
  /** The pattern that *Always* would grant for the value, and the questions it would override (APPR-07). */
  readonly offer?: { readonly pattern: string; readonly beats: readonly string[] }
}

const order: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

/** SHELL-02: deny if any finding denies, else ask if any asks, else `allow`. */
export function strictest(findings: readonly Pick<Finding, 'action'>[]): Action {
  return findings.reduce<Action>(
    (worst, { action }) => (order[action] > order[worst] ? action : worst),
    'allow',
  )
}
