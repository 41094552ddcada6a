import { claimTurn, releaseTurn } from '../../db/turns.ts'
import { assertNever } from '../../util/assert-never.ts'
import { act } from './act.ts'
import { think } from './think.ts'
import type { TurnKernel } from './turn-kernel.ts'

/**
 * Carries a turn as far as it goes without waiting: a step is one transaction, and whatever else it waits for (a
 * person, a worker) is waited for by the row. A turn that is held by somebody else, or over, is left alone.
 */
export async function advanceTurn(kernel: TurnKernel, turnId: string): Promise<void> {
  let turn = await claimTurn(kernel.db, turnId, kernel.agentId)
  if (turn === undefined) return
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

type Turn = NonNullable<Awaited<ReturnType<typeof claimTurn>>>

export type Stepped =
  | { readonly kind: 'continue'; readonly turn: Turn }
  | { readonly kind: 'wait' }
  | { readonly kind: 'over' }

function step(kernel: TurnKernel, turn: Turn): Promise<Stepped> {
  switch (turn.state) {
    case 'queued':
    case 'thinking':
      return think(kernel, turn)
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
