import type { Db } from '../../db/schema.ts'
import type { RuleLayer } from '../../rules/gate/permissions/rule.ts'
import type { CoreContext } from '../context.ts'

/** Dependencies for handling people's messages. */
export interface InboxContext extends CoreContext {
  /** Rules for `/permissions`; undefined: not known here. */
  readonly rules?: ShownRules
}

/** Rules shown to people; they decide nothing. */
export interface ShownRules {
  readonly operator: RuleLayer
  /** Reads a worker's rules where they are accessible; undefined: it has none yet and uses the defaults. */
  readonly read?: (db: Db, worker: string) => Promise<string | undefined>
}
