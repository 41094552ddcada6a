import { z } from 'zod'
import {
  databaseTime,
  findCheckpoints,
  insertCheckpoint,
  takeMovedHeads,
} from '../../db/audit/audit-log.ts'
import { findCuts } from '../../db/audit/audit-verifications.ts'
import { inTransaction } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { CoreContext } from '../context.ts'
import type { BrokenLink, ChainPosition, CheckSignature, TextSigner } from './record.ts'

const checkpointsAPage = 500

/** A checkpoint not signed by a known key may claim any time. */
const checkpointBody = z.object({
  at: z.iso.datetime().optional().catch(undefined),
  heads: z.array(z.object({ chain: z.string(), seq: z.number(), hash: z.string() })),
})

/** Signed record of dropping a month: the last row of every chain that had rows in it. */
const cutBody = z.object({
  at: z.iso.datetime(),
  before: z.iso.datetime(),
  rows: z.number().int(),
  chains: z.array(z.object({ chain: z.string(), seq: z.number().int(), hash: z.string() })),
})

const cutsAPage = 4

/**
 * Signs the heads of all changed chains and writes them to the log as well, an anchor outside the database that reveals a cut
 * tail or a missing chain (AUD-02).
 */
export async function checkpoint(ctx: CoreContext, signer: TextSigner): Promise<void> {
  await inTransaction(ctx.db, async (db) => {
    const heads = await takeMovedHeads(db)
    if (heads.length === 0) return
    const at = await databaseTime(db)
    heads.sort((a, b) => (a.chain < b.chain ? -1 : 1))
    const body = canonicalJson({ at: at.toISOString(), heads })
    const signature = signer.signText(body)
    await insertCheckpoint(db, { at, body, kid: signer.kid, signature })
    ctx.log.info({ checkpoint: body, kid: signer.kid, signature }, 'audit checkpoint')
  })
}

/** Chain positions signed by checkpoints. */
interface Anchors {
  /** Furthest signed position of each chain. */
  readonly heads: ReadonlyMap<string, ChainPosition>
  readonly count: number
  /** Time of the newest checkpoint. */
  readonly signedAt: Date | undefined
  /** Checkpoints with an invalid signature. Anyone who can insert into the audit can add them, so they prove nothing. */
  readonly forged: readonly BrokenLink[]
  /** Positions for which two checkpoints signed different rows. */
  readonly contradictions: readonly BrokenLink[]
}

/** Positions signed by known keys, or by unknown ones. */
interface Said {
  readonly heads: Map<string, ChainPosition>
  signedAt: Date | undefined
}

/**
 * Reads every signed checkpoint in any order, since old ones can be inserted again. `unknownKeys`: checkpoints of unknown keys
 * are `believed` where no known key signed, so they can only reveal more problems, or `left out` where something is allowed
 * because of them.
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

/** Keeps the furthest position of each chain and returns contradictions with earlier signatures. */
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
    const page = await findCheckpoints(db, last, checkpointsAPage)
    yield* page
    if (page.length < checkpointsAPage) return
    last = page.at(-1)?.id ?? last
  }
}

/** Reads the signed text only: anyone who can write the database can change the columns beside it. */
function read(body: string): z.infer<typeof checkpointBody> | undefined {
  return checkpointBody.safeParse(tryParseJson(body)).data
}

function later(known: Date | undefined, said: string | undefined): Date | undefined {
  if (said === undefined) return known
  const at = new Date(said)
  return known === undefined || at > known ? at : known
}

export type CutBody = z.infer<typeof cutBody>

/** Newest signed cut of each chain. */
export interface Cuts {
  readonly ends: ReadonlyMap<string, ChainPosition>
  readonly count: number
  readonly broken: readonly BrokenLink[]
}

/** Reads every signed cut. One whose signature cannot be checked is ignored, as it could hide a removal. */
export async function readCuts(db: Db, check: CheckSignature): Promise<Cuts> {
  const ends = new Map<string, ChainPosition>()
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
    const page = await findCuts(db, last, cutsAPage)
    yield* page
    if (page.length < cutsAPage) return
    last = page.at(-1)?.id ?? last
  }
}
