import { z } from 'zod'
import { findCheckpoints } from '../../db/audit-log.ts'
import type { Db } from '../../db/schema.ts'
import type { BrokenLink, ChainPlace, CheckSignature } from './signed-text.ts'

/** What checkpoints signed last of every chain. */
export interface Anchors {
  readonly heads: Map<string, ChainPlace>
  readonly count: number
  /** When the newest of them was signed. */
  readonly signedAt: Date | undefined
  readonly broken: readonly BrokenLink[]
}

const window = 500

/** What is not signed by a known key may say any time. */
const checkpointBody = z.object({
  at: z.iso.datetime().optional().catch(undefined),
  heads: z.array(z.object({ chain: z.string(), seq: z.number(), hash: z.string() })),
})

/**
 * Reads every signed checkpoint. `unknownKeys`: those of a key that is not known here are `believed`, where they can only
 * show more that is wrong, or `left out`, where something is allowed because of them.
 */
export async function readAnchors(
  db: Db,
  check: CheckSignature,
  unknownKeys: 'believed' | 'left out',
): Promise<Anchors> {
  const heads = new Map<string, ChainPlace>()
  const broken: BrokenLink[] = []
  let count = 0
  let signedAt: Date | undefined
  for await (const checkpoint of allCheckpoints(db)) {
    count += 1
    const isSigned = check(checkpoint.kid, checkpoint.body, checkpoint.signature)
    if (isSigned === false) {
      broken.push({ chain: 'checkpoint', seq: checkpoint.id, why: 'the signature is wrong' })
    } else if (isSigned === true || unknownKeys === 'believed') {
      const signed = read(checkpoint.body)
      signedAt = later(signedAt, signed?.at)
      for (const { chain, ...place } of signed?.heads ?? []) heads.set(chain, place)
    }
  }
  return { heads, count, broken, signedAt }
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
  return checkpointBody.safeParse(parseJson(body)).data
}

function later(known: Date | undefined, said: string | undefined): Date | undefined {
  if (said === undefined) return known
  const at = new Date(said)
  return known === undefined || at > known ? at : known
}

/** What is not signed by a known key may be any text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
