import { updateCall } from '../../db/call/tool-calls.ts'
import { findKnownCaller } from '../../db/people/callers.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import { claimTurn, updateLeasedTurn } from '../../db/turn/turns.ts'
import { type Caller, may } from '../../domain/caller.ts'
import type { ToolRequest } from '../../domain/message.ts'
import { bashTool } from '../../rules/tools/bash.ts'
import { undoTool } from '../../rules/tools/undo.ts'
import { assertNever } from '../../util/guards.ts'
import { createBatch } from '../call/create-batch.ts'
import { loadFacts } from '../call/gate/call-context.ts'
import { restartBoxes } from '../call/restart-boxes.ts'
import { transact } from '../transaction.ts'
import { act } from './act.ts'
import { failTurn } from './end-turn.ts'
import { think } from './model/think.ts'
import { lockTurn, type Stepped, type TurnContext } from './turn-context.ts'

/**
 * Advances a turn as far as possible without waiting: each step is one transaction, and waiting (for a person or a worker) is
 * done by the row. Leaves a turn alone that another agent holds or that is over.
 */
export async function advanceTurn(ctx: TurnContext, turnId: string): Promise<void> {
  const claimed = await claimTurn(ctx.db, turnId, ctx.agentId)
  if (claimed === undefined) return
  if (claimed.needs_fresh_box) await restartBoxes(ctx)
  let turn: TurnRow = claimed
  if (turn.crashes > maxCrashes) return giveUp(ctx, turn)
  let seen: Seen = { uploads: Boolean(claimed.has_uploads), always: Boolean(claimed.has_always) }
  for (;;) {
    const result = await step(ctx, turn, seen)
    if (result.kind === 'over') return
    // Acting takes no time unless its calls are reviewed, so what was seen before it holds for the step that follows.
    if (turn.state !== 'acting' || ctx.reviews !== undefined) seen = { uploads: true, always: true }
    turn = result.turn
  }
}

/** Whether there may be uploads or *Always* decisions to attend to, as seen when the turn was claimed. */
interface Seen {
  readonly uploads: boolean
  readonly always: boolean
}

/** Maximum crashes of a turn, so that one that kills its agents does not do so forever. */
const maxCrashes = 5

async function giveUp(ctx: TurnContext, turn: TurnRow): Promise<void> {
  await transact(ctx, (tx) => failTurn(tx, turn, ctx.messages.turns.noProgress))
}

function step(ctx: TurnContext, turn: TurnRow, seen: Seen): Promise<Stepped> {
  switch (turn.state) {
    case 'queued':
    case 'thinking':
      return turn.kind === 'message' ? think(ctx, turn, seen.uploads) : beginDirectTurn(ctx, turn)
    case 'acting':
      return act(ctx, turn, seen.always)
    case 'done':
    case 'stopped':
    case 'failed':
      return Promise.resolve({ kind: 'over' })
    default:
      return assertNever(turn.state)
  }
}

/**
 * TERM-03, BASH-07: starts a person's own command or `/undo` as a batch without the model. Denials of the gate apply; approvals
 * are skipped, as this person would answer them.
 */
function beginDirectTurn(ctx: TurnContext, turn: TurnRow): Promise<Stepped> {
  return transact(ctx, async (tx): Promise<Stepped> => {
    const locked = await lockTurn(tx, turn)
    const own = await updateLeasedTurn(tx.db, turn.id, turn.epoch, { state: 'acting' })
    if (own === undefined) return { kind: 'over' }
    const current = { ...locked, turn: own }
    const facts = await loadFacts(ctx, tx.db, locked.session, own)
    const rows = await createBatch(
      { ...current, facts },
      {
        messageId: null,
        requests: [await requestOf(tx.db, own)],
      },
    )
    for (const call of rows) {
      if (call.state === 'awaiting_approval') await updateCall(tx.db, call.id, { state: 'allowed' })
    }
    return { kind: 'continue', turn: own }
  })
}

async function requestOf(db: Db, turn: TurnRow): Promise<ToolRequest> {
  const { kind, shell_command: command } = turn
  if (kind === 'undo') {
    return undoOf(await findKnownCaller(db, turn.caller_id), command === 'anyway')
  }
  return { id: 'shell', tool: bashTool.name, arguments: JSON.stringify({ command }) }
}

/** DECISION-20: undoes only the caller's own changes unless they are an approver; the worker knows whose change was last. */
function undoOf(caller: Caller | undefined, anyway: boolean): ToolRequest {
  const isForAll = caller !== undefined && may(caller, 'decide_for_others')
  const args = JSON.stringify({ own: !isForAll, anyway })
  return { id: 'undo', tool: undoTool.name, arguments: args }
}
