import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { ToolErrorCategory } from '../domain/tool/tool-error.ts'

/** Ends a call with `outcome` from any depth; `runCall` turns it into the reply. Keeps no stack, since it is not a bug. */
export class Refusal extends Error {
  readonly outcome: ExecutorOutcome

  constructor(outcome: ExecutorOutcome) {
    super(outcome.kind)
    this.name = 'Refusal'
    this.outcome = outcome
  }
}

/** Ends the call with a tool error; `message` is one line for the model. */
export function fail(category: ToolErrorCategory, message: string): never {
  throw new Refusal({ kind: 'error', error: { category, message } })
}
