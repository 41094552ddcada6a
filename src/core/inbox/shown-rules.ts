import type { Db } from '../../db/schema.ts'
import type { RuleLayer } from '../../rules/gate/permissions/rule.ts'

/** The rules as far as people are shown them; nothing is decided by it. */
export interface ShownRules {
  readonly operator: RuleLayer
  /** A worker's rules, where they can be read from here; undefined: it has none yet, and the defaults count. */
  readonly read?: (db: Db, worker: string) => Promise<string | undefined>
}
