import { fail } from '../refusal.ts'

/** Ends the call: the pattern is not supported by both engines. */
export function refusePattern(why: string): never {
  fail('invalid_parameters', `The pattern cannot be used: ${why}`)
}
