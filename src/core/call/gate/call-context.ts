import type { Db } from '../../../db/schema.ts'
import type { PermissionsStore } from '../../../ports/permissions-store.ts'
import type { GateFacts } from '../../../rules/gate/gate.ts'
import { readPermissions } from '../../../rules/gate/permissions/read-permissions.ts'
import type { WorkerRules } from '../../../rules/gate/permissions/rule.ts'
import type { Signer } from '../../../rules/jobs/sign.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { dropOldest } from '../../../util/drop-oldest.ts'
import type { CoreContext } from '../../context.ts'

/** Maximum entries: some sandboxes have a home for each conversation, and texts that changed are not needed again. */
const maxKept = 100

/** Maximum messages that wait at once for their replica's greeting. */
const mostAwaited = 4

/** Maximum dropped messages reported singly in a minute. */
const mostTold = 100

/** Limits the handling of messages from unenrolled workers, so that a flood does not delay others. One for each agent. */
export class UnenrolledWorkers {
  #awaited = 0
  #dropped = 0

  /**
   * Waits for a greeting that may be on its way; returns undefined at once if too many wait. A genuine result is requested again.
   */
  async awaitGreeting<T>(wait: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#awaited >= mostAwaited) return undefined
    this.#awaited += 1
    try {
      return await wait()
    } finally {
      this.#awaited -= 1
    }
  }

  /** Counts a dropped message; returns whether to report it singly. */
  countDropped(): boolean {
    this.#dropped += 1
    return this.#dropped <= mostTold
  }

  /** Starts the next minute; returns how many dropped messages of the last one went unreported. */
  beginMinute(): number {
    const untold = Math.max(0, this.#dropped - mostTold)
    this.#dropped = 0
    return untold
  }
}

/** Dependencies for evaluating and sending tool calls. */
export interface CallContext extends CoreContext {
  readonly tools: readonly ToolSpec[]
  /** MODEL-02: the configured model calls tools by blocks in its text. */
  readonly callsInText: boolean
  readonly signer: Signer
  /** Secret from which worker enrolment tokens are derived (threat 5). */
  readonly enrolmentSecret: string
  readonly unenrolledWorkers: UnenrolledWorkers
  readonly permissions: PermissionsStore
  /**
   * The same store within a transaction's connection: waiting for a second connection while holding one could deadlock the pool.
   */
  readonly permissionsIn: (db: Db) => PermissionsStore
  readonly parseRules: ParseRules
  /** APPR-21: loads the shadow rules that calls are also evaluated by; undefined: none are available. */
  readonly shadowRules?: () => Promise<string | undefined>
  readonly operator: GateFacts['operator']
  /** POL-01; undefined: no policy is enabled. */
  readonly policy: GateFacts['policy']
  /** Names of the policy's variables that are set. */
  readonly variables: ReadonlySet<string>
  /** POL-05; absent: calls are not reviewed. */
  readonly reviews?: GateFacts['reviews']
  readonly web: GateFacts['web']
  readonly files: {
    /** Paths allowed besides the workspace, as seen in a box with this workspace path. */
    readonly allowed: (boxWorkspace: string) => readonly string[]
    readonly denyRead: readonly string[]
    readonly allowRead: readonly string[]
  }
  readonly commands: {
    /** Paths that programs may reach, as above (BASH-10). */
    readonly allowed: (boxWorkspace: string) => readonly string[]
    /** Whether programs get the network configured by the worker's operator (BASH-06). */
    readonly network: boolean
    /** BASH-11: whether such a network is configured, as far as this process knows; false if it is missing. */
    readonly hasNetwork?: boolean
  }
  /** GATE-12: paths that no tool may touch, as seen in a box with this workspace path. */
  readonly protectedPaths: (boxWorkspace: string) => readonly string[]
}

/** Parses a worker's rules; returns the same object for the same text and home, so that caches keyed by it work. */
type ParseRules = (text: string, home: string) => WorkerRules

/** Caches parsed rules, whose examples are also tested once: every transition of a turn needs them, and they rarely change. */
export function createRulesCache(): ParseRules {
  const kept = new Map<string, WorkerRules>()
  return (text, home) => {
    const key = `${home}\n${text}`
    const rules = kept.get(key) ?? readPermissions(text, { home })
    kept.delete(key)
    kept.set(key, rules)
    dropOldest(kept, maxKept)
    return rules
  }
}
