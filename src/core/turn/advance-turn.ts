import { updateCall } from '../../db/call/tool-calls.ts'
import { findKnownCaller } from '../../db/people/callers.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import { claimTurn, releaseTurn, updateLeasedTurn } from '../../db/turn/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import type { ToolRequest } from '../../domain/message.ts'
import { may } from '../../domain/rights.ts'
import { bashTool } from '../../rules/tools/bash.ts'
import { undoTool } from '../../rules/tools/undo.ts'
import { assertNever } from '../../util/assert-never.ts'
import { createBatch } from '../call/create-batch.ts'
import { loadFacts } from '../call/gate/load-facts.ts'
import { restartBoxes } from '../call/restart-boxes.ts'
import { transact } from '../transaction.ts'
import { act } from './act.ts'
import { failTurn } from './fail-turn.ts'
import { lockTurn } from './lock-turn.ts'
import { think } from './model/think.ts'
import type { Stepped } from './stepped.ts'
import type { TurnContext } from './turn-context.ts'

/**
 * Carries a turn as far as it goes without waiting: a step is one transaction, and whatever else it waits for (a
 * person, a worker) is waited for by the row. A turn that is held by somebody else, or over, is left alone.
 */
export async function advanceTurn(ctx: TurnContext, turnId: string): Promise<void> {
  const claimed = await claimTurn(ctx.db, turnId, ctx.agentId)
  if (claimed === undefined) return
  if (claimed.needs_fresh_box) await restartBoxes(ctx)
  let turn: TurnRow = claimed
  if (turn.crashes > maxCrashes) return giveUp(ctx, turn)
  let mayHaveUploads = claimed.has_uploads
  for (;;) {
    const result = await step(ctx, turn, Boolean(mayHaveUploads))
    mayHaveUploads = true
    if (result.kind === 'over') return
    if (result.kind === 'wait') break
    turn = result.turn
  }
  const released = await releaseTurn(ctx.db, turn.id, turn.epoch)
  // Something became due while we held the turn, and whoever woke it was turned away.
  if (released?.next_due != null) await ctx.signals.turnDue(released.id, released.epoch)
}

/** A turn that takes its holder down with it must not do so for ever. */
const maxCrashes = 5

async function giveUp(ctx: TurnContext, turn: TurnRow): Promise<void> {
  await transact(ctx, (tx) => failTurn(tx, turn, 'it was begun several times and never got on'))
}

function step(ctx: TurnContext, turn: TurnRow, mayHaveUploads: boolean): Promise<Stepped> {
  switch (turn.state) {
    case 'queued':
    case 'thinking':
      return turn.kind === 'message' ? think(ctx, turn, mayHaveUploads) : beginOwn(ctx, turn)
    case 'acting':
      return act(ctx, turn)
    case 'done':
    case 'stopped':
    case 'failed':
      return Promise.resolve({ kind: 'over' })
    default:
      return assertNever(turn.state)
  }
}

/**
 * TERM-03, BASH-07: a person's own command or `/undo` is a batch of its own, without the model. The gate's denials hold, its
 * questions do not, because the person is the one who would answer.
 */
function beginOwn(ctx: TurnContext, turn: TurnRow): Promise<Stepped> {
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

/** DECISION-20: the worker knows whose the last change was; who is no approver takes back their own only. */
function undoOf(caller: Caller | undefined, anyway: boolean): ToolRequest {
  const isForAll = caller !== undefined && may(caller, 'decide_for_others')
  const args = JSON.stringify({ own: !isForAll, anyway })
  return { id: 'undo', tool: undoTool.name, arguments: args }
}
