import { sql } from 'kysely'
import { callStatesAtWorker } from '../../domain/tool/tool-call.ts'
import { literals } from '../literals.ts'

/** States of a call that is with a worker. */
export const atWorker = literals(callStatesAtWorker)

/** SQL condition on `tool_call`: reported as interrupted because its replica was lost, although the call may still run. */
export const isLost = sql<boolean>`state = 'interrupted' and cancel_requested_at is not null`
