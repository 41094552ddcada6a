import type { GateCall, GateFacts } from '../gate-facts.ts'
import type { Finding } from './finding.ts'

/** MODEL-02: what reads as a call may only have been quoted, so the first of a session asks, whatever rules and grants say. */
export function checkTextCall(
  { inText }: Pick<GateCall, 'inText'>,
  { trustsText }: Pick<GateFacts, 'trustsText'>,
): readonly Finding[] {
  if (inText !== true || trustsText === true) return []
  const reason = 'the first call in this session that the model wrote as text'
  return [{ check: 'text', action: 'ask', reason }]
}
