import { updateCall } from '../../db/call/tool-calls.ts'
import { findKnownCaller } from '../../db/people/callers.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import { updateOwnTurn } from '../../db/turn/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import type { ToolRequest } from '../../domain/message.ts'
import { may } from '../../domain/rights.ts'
import { undoTool } from '../../rules/tools/undo.ts'
import { createBatch } from '../call/create-batch.ts'
import { loadFacts } from '../call/gate/load-facts.ts'
import { transact } from '../kernel/transact.ts'
import { lockScope } from './lock-scope.ts'
import type { Stepped } from './stepped.ts'
import type { TurnKernel } from './turn-kernel.ts'

/**
 * TERM-03, BASH-07: a person's own command or `/undo` is a batch of its own, without the model. The gate's denials hold, its
 * questions do not, because the person is the one who would answer.
 */
export function beginOwn(kernel: TurnKernel, turn: TurnRow): Promise<Stepped> {
  return transact(kernel, async (db, after): Promise<Stepped> => {
    const scope = await lockScope(db, turn)
    const own = await updateOwnTurn(db, turn.id, turn.epoch, { state: 'acting' })
    if (own === undefined) return { kind: 'over' }
    const current = { ...scope, turn: own }
    const facts = await loadFacts(kernel, db, scope.session, own)
    const rows = await createBatch(kernel, db, after, current, facts, {
      messageId: null,
      requests: [await requestOf(db, own)],
    })
    for (const call of rows) {
      if (call.state === 'awaiting_approval') await updateCall(db, call.id, { state: 'allowed' })
    }
    return { kind: 'continue', turn: own }
  })
}

async function requestOf(db: Db, turn: TurnRow): Promise<ToolRequest> {
  const { kind, shell_command: command } = turn
  if (kind === 'undo') {
    return undoOf(await findKnownCaller(db, turn.caller_id), command === 'anyway')
  }
  return { id: 'shell', tool: 'bash', arguments: JSON.stringify({ command }) }
}

/** DECISION-20: the worker knows whose the last change was; who is no approver takes back their own only. */
function undoOf(caller: Caller | undefined, anyway: boolean): ToolRequest {
  const isForAll = caller !== undefined && may(caller, 'decide_for_others')
  const args = JSON.stringify({ own: !isForAll, anyway })
  return { id: 'undo', tool: undoTool.name, arguments: args }
}
