import { z } from 'zod'
import { findCuts } from '../../db/audit/audit-cuts.ts'
import type { Db } from '../../db/schema.ts'
import type { BrokenLink, ChainPlace, CheckSignature } from './signed-text.ts'

/** What is signed when a month is dropped: the last row of every chain that had rows there. */
export const cutBody = z.object({
  at: z.iso.datetime(),
  before: z.iso.datetime(),
  rows: z.number().int(),
  chains: z.array(z.object({ chain: z.string(), seq: z.number().int(), hash: z.string() })),
})
export type CutBody = z.infer<typeof cutBody>

/** Where chains were cut, by chain; the newest cut of each. */
export interface Cuts {
  readonly ends: ReadonlyMap<string, ChainPlace>
  readonly count: number
  readonly broken: readonly BrokenLink[]
}

const window = 4

/** Reads every signed cut. One whose signature cannot be checked excuses nothing: it would hide what was removed. */
export async function readCuts(db: Db, check: CheckSignature): Promise<Cuts> {
  const ends = new Map<string, ChainPlace>()
  const broken: BrokenLink[] = []
  let count = 0
  for await (const { id, kid, body, signature } of allCuts(db)) {
    count += 1
    const isSigned = check(kid, body, signature)
    if (isSigned !== true) {
      const why = isSigned === false ? 'the signature is wrong' : `its key ${kid} is not known here`
      broken.push({ chain: 'cut', seq: id, why })
      continue
    }
    for (const { chain, seq, hash } of cutBody.parse(JSON.parse(body)).chains) {
      if ((ends.get(chain)?.seq ?? 0) < seq) ends.set(chain, { seq, hash })
    }
  }
  return { ends, count, broken }
}

async function* allCuts(db: Db) {
  let last = 0
  for (;;) {
    const page = await findCuts(db, last, window)
    yield* page
    if (page.length < window) return
    last = page.at(-1)?.id ?? last
  }
}
