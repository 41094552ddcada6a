import type { Action, TraceEntry } from '../../../domain/verdict.ts'

/** What checks found about one call; the strictest finding decides. */
export type Finding = TraceEntry & {
  /** Whether it raises the risk: a shell hazard, an outside path, a redirection. */
  readonly isHazard?: boolean
  /** Whether what a rule denies may be in it, which counts with the gate switched off too. */
  readonly mayBeDenied?: boolean
  /** The grant of the session that turned ask into allow. */
  readonly grantId?: string
  /** Whether no grant could take it back, so that none is offered. */
  readonly isFirm?: boolean
  /** What *Always* would grant for what was judged, and the questions that it would win over (APPR-07). */
  readonly offer?: { readonly pattern: string; readonly beats: readonly string[] }
}

const order: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

/** SHELL-02: any deny denies, else any ask asks. Nothing found: `allow`. */
export function strictest(findings: readonly Pick<Finding, 'action'>[]): Action {
  return findings.reduce<Action>(
    (worst, { action }) => (order[action] > order[worst] ? action : worst),
    'allow',
  )
}
