import { findUnsentVerdicts } from '../../../db/call/tool-calls.ts'
import type { Db } from '../../../db/schema.ts'
import type { Verdict } from '../../../domain/verdict.ts'
import type { GateFacts } from '../../../rules/gate/gate.ts'
import { readVerdict } from '../../stored.ts'

/** Uses of grants that calls will take which are allowed and not sent yet: nobody is promised what another has. */
export interface Uses {
  /** The facts without grants that have no use left beside those. */
  leftOf<Facts extends Pick<GateFacts, 'grants'>>(facts: Facts): Facts
  /** One more call is allowed by this verdict. */
  reserve(verdict: Verdict): void
}

/** APPR-15: only a promise; a use is taken when the call is sent. */
export async function openUses(db: Db, sessionId: string): Promise<Uses> {
  const reserved = new Map<string, number>()
  const reserve = ({ grants = [] }: Verdict): void => {
    for (const id of grants) reserved.set(id, (reserved.get(id) ?? 0) + 1)
  }
  for (const verdict of await findUnsentVerdicts(db, sessionId)) reserve(readVerdict({ verdict }))
  return {
    reserve,
    leftOf: (facts) => {
      const isFree = ({ id = '', usesLeft }: GateFacts['grants'][number]): boolean =>
        usesLeft == null || usesLeft > (reserved.get(id) ?? 0)
      return { ...facts, grants: facts.grants.filter(isFree) }
    },
  }
}
