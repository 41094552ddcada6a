import { z } from 'zod'
import { type GateParts, toFacts } from '../../core/call/gate/load-facts.ts'
import { databaseTime } from '../../db/audit/audit-log.ts'
import type { AuditPosition } from '../../db/audit/audit-search.ts'
import {
  findCanonical,
  findConversations,
  findDecided,
  mayRead,
} from '../../db/audit/decided-calls.ts'
import type { AuditRow, Db, WorkerRow } from '../../db/schema.ts'
import { findKnownReplicas } from '../../db/worker/workers.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import type { PastCall } from '../../rules/gate/replay/past-call.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** A past call, and the facts to judge it by; or why there are none. */
export interface CallInPlace {
  readonly call: PastCall
  readonly facts: GateFacts | undefined
  readonly why: string
}

export interface PastCallsInput {
  readonly db: Db
  readonly parts: GateParts
  /** The rules of a worker, as text; undefined: no worker has such a name. */
  readonly rulesOf: (worker: string) => Promise<string | undefined>
  readonly since: Date | undefined
  /** Those alone that were refused. */
  readonly isDenied?: boolean
  readonly signal: AbortSignal
}

const pageRows = 500
const mostKept = 100

/** Every call that was decided on up to now, each once, the oldest first; a page of them is in memory at a time. */
export async function* pastCalls(input: PastCallsInput): AsyncGenerator<CallInPlace> {
  const { db, since, isDenied, signal } = input
  const until = await databaseTime(db)
  const places = new Places(input)
  const span = { since, until, ...(isDenied === undefined ? {} : { isDenied }) }
  let after: AuditPosition | undefined
  for (;;) {
    signal.throwIfAborted()
    const page = await findDecided(db, span, after, pageRows)
    yield* await inPlaces(page, places, db)
    if (page.length < pageRows) return
    after = page.at(-1)
  }
}

async function inPlaces(page: readonly AuditRow[], places: Places, db: Db): Promise<CallInPlace[]> {
  const sessions = [...new Set(page.flatMap(({ session_id }) => session_id ?? []))]
  const conversations = await findConversations(db, sessions)
  const canonical = await findCanonical(
    db,
    page.flatMap(({ call_id }) => call_id ?? []),
  )
  const found: CallInPlace[] = []
  for (const row of page) {
    const body = readBody(row.body)
    const conversation = conversations.get(row.session_id ?? '')
    const call = toPastCall(row, body, canonical.get(row.call_id ?? ''))
    found.push({ call, ...(await places.factsOf(body.worker, conversation)) })
  }
  return found
}

const action = z.enum(['allow', 'ask', 'deny'])
const storedBody = z.object({
  arguments: z.string().optional().catch(undefined),
  worker: z.string().optional().catch(undefined),
  trace: z
    .array(z.object({ check: z.string(), action, reason: z.string(), rule: z.string().optional() }))
    .catch([]),
})
type StoredBody = z.infer<typeof storedBody>

/** Who can write to the database may have put anything there. */
function readBody(body: string): StoredBody {
  const read = storedBody.safeParse(tryParseJson(body))
  return read.success ? read.data : { arguments: undefined, worker: undefined, trace: [] }
}

function toPastCall(row: AuditRow, body: StoredBody, canonical: string | undefined): PastCall {
  const paths = z.array(z.string()).safeParse(tryParseJson(canonical ?? ''))
  return {
    at: row.at,
    worker: body.worker,
    tool: row.tool ?? '',
    arguments: body.arguments,
    // What says nothing that is known is taken as refused: nothing is concluded from it.
    verdict: action.catch('deny').parse(row.verdict),
    answer: row.approval_state ?? undefined,
    decidedBy: row.decided_by ?? undefined,
    callerId: row.caller_id ?? '',
    trace: body.trace.map(({ rule, ...entry }) =>
      rule === undefined ? entry : { ...entry, rule },
    ),
    ...(paths.success ? { canonical: paths.data } : {}),
  }
}

interface WorkerPlace {
  readonly text: string | undefined
  readonly replicas: readonly WorkerRow[]
}

/** The facts by worker and conversation. */
class Places {
  readonly #input: PastCallsInput
  readonly #workers = new Map<string, WorkerPlace>()
  readonly #facts = new Map<string, GateFacts>()

  constructor(input: PastCallsInput) {
    this.#input = input
  }

  async factsOf(
    worker: string | undefined,
    conversation: string | undefined,
  ): Promise<Omit<CallInPlace, 'call'>> {
    if (worker === undefined) return { facts: undefined, why: 'its worker was not recorded' }
    const place = this.#workers.get(worker) ?? (await this.#read(worker))
    this.#workers.set(worker, place)
    const isOwn = place.replicas[0]?.box_workspace.includes('{workspace}') === true
    if (isOwn && conversation === undefined) {
      return { facts: undefined, why: 'its conversation is not known any more' }
    }
    const { text, replicas } = place
    if (text === undefined) return { facts: undefined, why: 'its worker is not known here' }
    return { facts: this.#remembered(worker, text, replicas, isOwn ? conversation : ''), why: '' }
  }

  async #read(worker: string): Promise<WorkerPlace> {
    const { db, rulesOf } = this.#input
    const replicas = (await mayRead(db, 'worker')) ? await findKnownReplicas(db, worker) : []
    return { text: await rulesOf(worker), replicas }
  }

  #remembered(
    worker: string,
    text: string,
    replicas: readonly WorkerRow[],
    conversationId = '',
  ): GateFacts {
    const key = `${worker}\n${conversationId}`
    const remembered = this.#facts.get(key)
    if (remembered !== undefined) return remembered
    if (this.#facts.size >= mostKept) this.#facts.clear()
    // What the rules say: neither grants nor levels of trust, which change from call to call.
    const known = { text, grants: [], trust: new Map(), replicas, conversationId }
    const facts = toFacts(this.#input.parts, known)
    const made = replicas.length === 0 ? { ...facts, confined: true } : facts
    this.#facts.set(key, made)
    return made
  }
}
