import { sql } from 'kysely'
import { callStatesAtWorker } from '../../domain/tool/tool-call.ts'
import { literals } from '../literals.ts'

/** States of a call that a worker has. */
export const atWorker = literals(callStatesAtWorker)

/** Told as interrupted since its replica was not heard of: it may still run. A condition on `tool_call`. */
export const isUnheard = sql<boolean>`state = 'interrupted' and cancel_requested_at is not null`
