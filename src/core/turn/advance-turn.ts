import type { TurnRow } from '../../db/schema.ts'
import { claimTurn, releaseTurn } from '../../db/turn/turns.ts'
import { assertNever } from '../../util/assert-never.ts'
import { restartBoxes } from '../call/restart-boxes.ts'
import { transact } from '../kernel/transact.ts'
import { act } from './act.ts'
import { beginOwn } from './begin-own.ts'
import { failTurn } from './fail-turn.ts'
import { think } from './model/think.ts'
import type { Stepped } from './stepped.ts'
import type { TurnKernel } from './turn-kernel.ts'

/**
 * Carries a turn as far as it goes without waiting: a step is one transaction, and whatever else it waits for (a
 * person, a worker) is waited for by the row. A turn that is held by somebody else, or over, is left alone.
 */
export async function advanceTurn(kernel: TurnKernel, turnId: string): Promise<void> {
  const claimed = await claimTurn(kernel.db, turnId, kernel.agentId)
  if (claimed === undefined) return
  if (claimed.needs_fresh_box) await restartBoxes(kernel)
  let turn: TurnRow = claimed
  if (turn.crashes > maxCrashes) return giveUp(kernel, turn)
  for (;;) {
    const result = await step(kernel, turn)
    if (result.kind === 'over') return
    if (result.kind === 'wait') break
    turn = result.turn
  }
  const released = await releaseTurn(kernel.db, turn.id, turn.epoch)
  // Something became due while we held the turn, and whoever woke it was turned away.
  if (released?.next_due != null) await kernel.signals.turnDue(released.id, released.epoch)
}

/** A turn that takes its holder down with it must not do so for ever. */
const maxCrashes = 5

async function giveUp(kernel: TurnKernel, turn: TurnRow): Promise<void> {
  await transact(kernel, (db, after) =>
    failTurn(kernel, db, after, turn, 'it was begun several times and never got on'),
  )
}

function step(kernel: TurnKernel, turn: TurnRow): Promise<Stepped> {
  switch (turn.state) {
    case 'queued':
    case 'thinking':
      return turn.kind === 'message' ? think(kernel, turn) : beginOwn(kernel, turn)
    case 'acting':
      return act(kernel, turn)
    case 'done':
    case 'stopped':
    case 'failed':
      return Promise.resolve({ kind: 'over' })
    default:
      return assertNever(turn.state)
  }
}
