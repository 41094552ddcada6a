import type { KeyObject } from 'node:crypto'
import type { Db } from '../db/schema.ts'
import { findAgentKey } from '../db/worker/agents.ts'
import { findReplica } from '../db/worker/workers.ts'
import { parsePublicKey } from '../rules/jobs/keys.ts'
import {
  type EventSigner,
  isEventSignedBy,
  peekSignedEvent,
  type SignedEvent,
} from '../rules/jobs/live.ts'
import { ReplayWindow } from '../rules/jobs/replay-window.ts'
import { dropOldest } from '../util/drop-oldest.ts'

const remembered = 1_000
/**
 * Limit of concurrent key lookups. Beyond it, events of signers not looked up yet are dropped, so a flood of unknown signers may
 * cost others their events.
 */
const askedAtOnce = 8

interface KnownSigner {
  readonly key: KeyObject
  readonly heard: ReplayWindow
}

/** Verifies live events of agents and replicas, because anyone on the bus could forge one (PROC-02). */
export class EventVerifier {
  readonly #db: Db
  /** By signer. Only signers in the database are kept, so that unknown ones cannot evict them. */
  readonly #known = new Map<string, KnownSigner>()
  readonly #asked = new Map<string, Promise<KnownSigner | undefined>>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Returns the event, or undefined if its signer is unknown, the signature is wrong, or it was seen before. */
  async open(payload: unknown): Promise<SignedEvent | undefined> {
    const spoken = peekSignedEvent(payload)
    if (spoken === undefined) return undefined
    const known = await this.#find(spoken.from)
    // The sequence number is recorded last, so that a forged event cannot use up a valid number.
    if (known === undefined || !isEventSignedBy(payload, known.key)) return undefined
    return known.heard.take(spoken.seq) ? spoken : undefined
  }

  #find(from: EventSigner): Promise<KnownSigner | undefined> {
    const name = from.kind === 'agent' ? from.id : `${from.worker} ${from.replica}`
    const known = this.#known.get(name)
    if (known !== undefined) return Promise.resolve(known)
    const underWay = this.#asked.get(name)
    if (underWay !== undefined) return underWay
    if (this.#asked.size >= askedAtOnce) return Promise.resolve(undefined)
    const asked = this.#ask(name, from)
    this.#asked.set(name, asked)
    return asked
  }

  async #ask(name: string, from: EventSigner): Promise<KnownSigner | undefined> {
    const pem = await keyOf(this.#db, from).catch(() => undefined)
    this.#asked.delete(name)
    if (pem === undefined) return undefined
    const known = { key: parsePublicKey(pem), heard: new ReplayWindow() }
    this.#known.set(name, known)
    dropOldest(this.#known, remembered)
    return known
  }
}

async function keyOf(db: Db, from: EventSigner): Promise<string | undefined> {
  if (from.kind === 'agent') return findAgentKey(db, from.id)
  return (await findReplica(db, from.worker, from.replica))?.public_key
}
