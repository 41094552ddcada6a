import type { BotState } from '../bots.ts'
import type { Params } from '../params.ts'
import type { World } from '../world.ts'

/** One call of a method. `gone` is aborted when nobody waits for the answer any more. */
export interface Call {
  readonly world: World
  readonly bot: BotState
  readonly params: Params
  readonly gone: AbortSignal
}

/** Answers the result, or throws a Refusal. */
export type Method = (call: Call) => unknown

/** A result with the words that some methods add to it. */
export class Described {
  readonly result: unknown
  readonly description: string

  constructor(result: unknown, description: string) {
    this.result = result
    this.description = description
  }
}
