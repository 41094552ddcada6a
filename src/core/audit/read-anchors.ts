import { z } from 'zod'
import { findCheckpoints } from '../../db/audit/audit-log.ts'
import type { Db } from '../../db/schema.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { BrokenLink, ChainPlace, CheckSignature } from './signed-text.ts'

/** What checkpoints signed of every chain. */
export interface Anchors {
  /** The furthest place of each. */
  readonly heads: ReadonlyMap<string, ChainPlace>
  readonly count: number
  /** When the newest of them was signed. */
  readonly signedAt: Date | undefined
  /** Those whose signature is wrong. Whoever can add to the audit can put one in: they prove nothing, neither way. */
  readonly forged: readonly BrokenLink[]
  /** Places at which two of them signed different rows. */
  readonly contradictions: readonly BrokenLink[]
}

const window = 500

/** What is not signed by a known key may say any time. */
const checkpointBody = z.object({
  at: z.iso.datetime().optional().catch(undefined),
  heads: z.array(z.object({ chain: z.string(), seq: z.number(), hash: z.string() })),
})

/** What one kind of keys signed. */
interface Said {
  readonly heads: Map<string, ChainPlace>
  signedAt: Date | undefined
}

/**
 * Reads every signed checkpoint, in whatever order they stand: an old one can be put in again. `unknownKeys`: those of a key
 * that is not known here are `believed` where no known key says anything, so that they can only show more that is wrong, or
 * `left out`, where something is allowed because of them.
 */
export async function readAnchors(
  db: Db,
  check: CheckSignature,
  unknownKeys: 'believed' | 'left out',
): Promise<Anchors> {
  const signed: Said = { heads: new Map(), signedAt: undefined }
  const believed: Said = { heads: new Map(), signedAt: undefined }
  const forged: BrokenLink[] = []
  const contradictions: BrokenLink[] = []
  let count = 0
  for await (const { id, kid, body, signature } of allCheckpoints(db)) {
    count += 1
    const isSigned = check(kid, body, signature)
    if (isSigned === true) contradictions.push(...add(signed, body))
    else if (isSigned === undefined && unknownKeys === 'believed') add(believed, body)
    else if (isSigned === false) {
      forged.push({ chain: 'checkpoint', seq: id, why: 'the signature is wrong' })
    }
  }
  const heads = new Map([...believed.heads, ...signed.heads])
  return { heads, count, signedAt: signed.signedAt ?? believed.signedAt, forged, contradictions }
}

/** Keeps the furthest place of each chain, and answers where something else was signed before. */
function add(said: Said, body: string): readonly BrokenLink[] {
  const { at, heads = [] } = read(body) ?? {}
  said.signedAt = later(said.signedAt, at)
  const contradictions: BrokenLink[] = []
  for (const { chain, ...place } of heads) {
    const furthest = said.heads.get(chain)
    if (furthest?.seq === place.seq && furthest.hash !== place.hash) {
      const why = 'two checkpoints signed different rows here'
      contradictions.push({ chain, seq: place.seq, why })
    }
    if (furthest === undefined || furthest.seq < place.seq) said.heads.set(chain, place)
  }
  return contradictions
}

async function* allCheckpoints(db: Db) {
  let last = 0
  for (;;) {
    const page = await findCheckpoints(db, last, window)
    yield* page
    if (page.length < window) return
    last = page.at(-1)?.id ?? last
  }
}

/** By what was signed: whoever can write the database can change the columns beside it. */
function read(body: string): z.infer<typeof checkpointBody> | undefined {
  return checkpointBody.safeParse(tryParseJson(body)).data
}

function later(known: Date | undefined, said: string | undefined): Date | undefined {
  if (said === undefined) return known
  const at = new Date(said)
  return known === undefined || at > known ? at : known
}
