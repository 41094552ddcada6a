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
/** Speakers looked up at once: what strangers say meanwhile is lost, and anybody else's may be. */
const askedAtOnce = 8

interface Known {
  readonly key: KeyObject
  readonly heard: ReplayWindow
}

/** Tells what agents and replicas truly say live from what anybody who reaches the bus could put there (PROC-02). */
export class EventVerifier {
  readonly #db: Db
  /** By speaker. Only those that the database knows are kept, so that strangers cannot have one forgotten. */
  readonly #known = new Map<string, Known>()
  readonly #asked = new Map<string, Promise<Known | undefined>>()

  constructor(db: Db) {
    this.#db = db
  }

  /** What was said, or undefined when nobody whom the database knows said it, or not for the first time. */
  async open(payload: unknown): Promise<SignedEvent | undefined> {
    const spoken = peekSignedEvent(payload)
    if (spoken === undefined) return undefined
    const known = await this.#find(spoken.from)
    // The number is taken last: a forged one must not use up the true one.
    if (known === undefined || !isEventSignedBy(payload, known.key)) return undefined
    return known.heard.take(spoken.seq) ? spoken : undefined
  }

  #find(from: EventSigner): Promise<Known | undefined> {
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

  async #ask(name: string, from: EventSigner): Promise<Known | undefined> {
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
