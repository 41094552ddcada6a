import type { CoreContext } from '../context.ts'
import type { ShownRules } from './shown-rules.ts'

/** What acting on messages of people needs. */
export interface InboxContext extends CoreContext {
  /** For `/permissions`; without it nothing is known of them here. */
  readonly rules?: ShownRules
}
