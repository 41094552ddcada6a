import type { GateCall } from '../../rules/gate/gate.ts'
import { readCanonical } from './read-canonical.ts'

/** A call as the gate looks at it: its arguments, and where its paths lead in truth as far as that is known. */
export function gateCallOf(
  call: { readonly canonical?: string | null },
  { spec, args }: Pick<GateCall, 'spec' | 'args'>,
): GateCall {
  const canonical = readCanonical(call.canonical)
  return { spec, args, ...(canonical === undefined ? {} : { canonical }) }
}
