import type { Kernel } from '../kernel/kernel.ts'
import type { ShownRules } from './shown-rules.ts'

/** What acting on messages of people needs. */
export interface InboxKernel extends Kernel {
  /** For `/permissions`; without it nothing is known of them here. */
  readonly rules?: ShownRules
}
