import { z } from 'zod'
import { type GateParts, toFacts } from '../../core/call/gate/call-context.ts'
import { databaseTime } from '../../db/audit/audit-log.ts'
import type { AuditPosition } from '../../db/audit/audit-search.ts'
import {
  findCanonical,
  findConversations,
  findDecided,
  mayRead,
} from '../../db/audit/decided-calls.ts'
import type { AuditRow, Db } from '../../db/schema.ts'
import { findKnownReplicas, type KnownReplica } from '../../db/worker/workers.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import type { PastCall } from '../../rules/gate/replay/past-call.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** Past call with the facts to evaluate it, or the reason why there are none. */
export interface CallWithFacts {
  readonly call: PastCall
  readonly facts: GateFacts | undefined
  readonly why: string
}

export interface PastCallsInput {
  readonly db: Db
  readonly parts: GateParts
  /** Reads a worker's rules as text; undefined for an unknown worker. */
  readonly rulesOf: (worker: string) => Promise<string | undefined>
  readonly since: Date | undefined
  /** True to read only denied calls. */
  readonly isDenied?: boolean
  readonly signal: AbortSignal
}

const pageRows = 500
const mostKept = 100

/** Yields every call decided until now, once, oldest first, holding one page in memory. */
export async function* pastCalls(input: PastCallsInput): AsyncGenerator<CallWithFacts> {
  const { db, since, isDenied, signal } = input
  const until = await databaseTime(db)
  const cache = new FactsCache(input)
  const span = { since, until, ...(isDenied === undefined ? {} : { isDenied }) }
  let after: AuditPosition | undefined
  for (;;) {
    signal.throwIfAborted()
    const page = await findDecided(db, span, after, pageRows)
    yield* await withFacts(page, cache, db)
    if (page.length < pageRows) return
    after = page.at(-1)
  }
}

async function withFacts(
  page: readonly AuditRow[],
  places: FactsCache,
  db: Db,
): Promise<CallWithFacts[]> {
  const sessions = [...new Set(page.flatMap(({ session_id }) => session_id ?? []))]
  const conversations = await findConversations(db, sessions)
  const canonical = await findCanonical(
    db,
    page.flatMap(({ call_id }) => call_id ?? []),
  )
  const found: CallWithFacts[] = []
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

/** Parses the body, tolerating anything that a writer to the database may have stored. */
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
    // An unknown verdict counts as denied, so that nothing is learned from it.
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

interface WorkerRules {
  readonly text: string | undefined
  readonly replicas: readonly KnownReplica[]
}

/** Cached facts by worker and conversation. */
class FactsCache {
  readonly #input: PastCallsInput
  readonly #workers = new Map<string, WorkerRules>()
  readonly #facts = new Map<string, GateFacts>()

  constructor(input: PastCallsInput) {
    this.#input = input
  }

  async factsOf(
    worker: string | undefined,
    conversation: string | undefined,
  ): Promise<Omit<CallWithFacts, 'call'>> {
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

  async #read(worker: string): Promise<WorkerRules> {
    const { db, rulesOf } = this.#input
    const replicas = (await mayRead(db, 'worker')) ? await findKnownReplicas(db, worker) : []
    return { text: await rulesOf(worker), replicas }
  }

  #remembered(
    worker: string,
    text: string,
    replicas: readonly KnownReplica[],
    conversationId = '',
  ): GateFacts {
    const key = `${worker}\n${conversationId}`
    const remembered = this.#facts.get(key)
    if (remembered !== undefined) return remembered
    if (this.#facts.size >= mostKept) this.#facts.clear()
    // Only the rules count; grants and trust levels change from call to call.
    const known = { text, grants: [], trust: new Map(), replicas, conversationId }
    const facts = toFacts(this.#input.parts, known)
    const made = replicas.length === 0 ? { ...facts, confined: true } : facts
    this.#facts.set(key, made)
    return made
  }
}
