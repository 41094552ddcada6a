import type { TurnRow } from '../../db/schema.ts'

/** How a step of a turn ended: the next one can follow at once, somebody else is waited for, or there is none. */
export type Stepped =
  | { readonly kind: 'continue'; readonly turn: TurnRow }
  | { readonly kind: 'wait' }
  | { readonly kind: 'over' }
