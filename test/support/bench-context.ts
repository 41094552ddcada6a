import { sql } from 'kysely'
import { createRulesCache, UnenrolledWorkers } from '../../src/core/call/gate/call-context.ts'
import { receiveWorkerMessage } from '../../src/core/call/result/receive-worker-message.ts'
import { resendCancels } from '../../src/core/call/send-call.ts'
import type { CoreSettings } from '../../src/core/context.ts'
import { handleInbox } from '../../src/core/inbox/handle.ts'
import type { InboundBody } from '../../src/core/inbox/inbound.ts'
import { receive } from '../../src/core/inbox/store-event.ts'
import { ToolCatalogue } from '../../src/core/mcp/tool-catalogue.ts'
import { advanceTurn } from '../../src/core/turn/advance-turn.ts'
import type { TurnContext } from '../../src/core/turn/turn-context.ts'
import { saveCaller } from '../../src/db/people/callers.ts'
import type { Db, ToolCallRow } from '../../src/db/schema.ts'
import type { Caller } from '../../src/domain/caller.ts'
import { messagesOf } from '../../src/domain/messages/messages.ts'
import type { Model } from '../../src/ports/model.ts'
import type { ProductEvent } from '../../src/ports/observer.ts'
import type { PermissionsStore } from '../../src/ports/permissions-store.ts'
import type { Signals } from '../../src/ports/signals.ts'
import { defaultPermissions } from '../../src/rules/gate/permissions/default-permissions.ts'
import type { CallOutcome, SignedJob, WorkerMessage } from '../../src/rules/jobs/contract.ts'
import { enrolmentProof, workerToken } from '../../src/rules/jobs/enrolment.ts'
import { generateKeyPair } from '../../src/rules/jobs/keys.ts'
import { createSigner, signMessage } from '../../src/rules/jobs/sign.ts'
import { builtinTools } from '../../src/rules/tools/registry.ts'
import { newId } from '../../src/util/ids.ts'
import { silentLog } from '../../src/util/log.ts'
import { createTestDatabase, type TestDatabase } from './database/database.ts'

export const ada: Caller = { id: 'test:ada', name: 'Ada', role: 'user' }
export const bob: Caller = { id: 'test:bob', name: 'Bob', role: 'user' }
export const eve: Caller = { id: 'test:eve', name: 'Eve', role: 'approver' }

const enrolmentSecret = 'a secret that enrols'
const token = workerToken(enrolmentSecret, 'default')

export interface SentJob {
  readonly queue: string
  readonly id: string
  readonly job: SignedJob
}

/**
 * The core on a real database with nothing moving by itself: signals are only noted, the worker is the test. So every
 * interleaving can be played step by step.
 */
export interface BenchContext extends AsyncDisposable {
  readonly database: TestDatabase
  readonly ctx: TurnContext
  readonly jobs: SentJob[]
  readonly cancels: unknown[]
  /** Queues that were told to restart a box. */
  readonly restarts: string[]
  readonly stopped: string[]
  readonly due: { readonly turnId: string; readonly epoch: number }[]
  readonly rules: { text: string }
  /** What observers were told, in order. */
  readonly events: ProductEvent[]
  /** Another agent over the same rows. */
  another(model?: Model): TurnContext
  act(body: InboundBody, as?: Caller, externalId?: string): Promise<string>
  say(text: string, as?: Caller): Promise<string>
  /** Steps the live turn as far as it goes. */
  step(ctx?: TurnContext): Promise<void>
  calls(): Promise<ToolCallRow[]>
  hello(confined?: boolean): Promise<void>
  bye(): Promise<void>
  result(
    call: ToolCallRow,
    outcome: CallOutcome,
    attempt?: number,
    durationMs?: number,
  ): Promise<void>
  started(call: ToolCallRow): Promise<void>
  receive(message: WorkerMessage): Promise<void>
  notices(): Promise<string[]>
  /** What the audit says of calls, in order. */
  auditKinds(): Promise<readonly string[]>
}

/** Only what was shown can be approved: here every card shows as soon as somebody answers one. */
export async function showCards(db: Db): Promise<void> {
  await sql`
    update outbox set state = 'sent', external_message_id = 'shown-' || id, sent_at = now()
    where state = 'pending' and id in (select outbox_id from approval_card)`.execute(db)
}

function isAnswer(body: InboundBody): boolean {
  return (
    body.kind === 'decision' ||
    (body.kind === 'message' && /^\/(?:approve|always|edit)/.test(body.text))
  )
}

export const ok: CallOutcome = { kind: 'succeeded', output: 'fine' }

export async function createBenchContext(
  model: Model,
  settings: Partial<CoreSettings> = {},
): Promise<BenchContext> {
  const database = await createTestDatabase()
  const { db } = database
  const jobs: SentJob[] = []
  const cancels: unknown[] = []
  const restarts: string[] = []
  const stopped: string[] = []
  const due: { turnId: string; epoch: number }[] = []
  const rules = { text: defaultPermissions }
  const events: ProductEvent[] = []
  const signals: Signals = {
    turnDue: async (turnId, epoch) => void due.push({ turnId, epoch }),
    outboxDue: async () => undefined,
    turnStopped: async (turnId) => {
      stopped.push(turnId)
      ctx.runningModelCalls.get(turnId)?.abort()
      await resendCancels(ctx, turnId)
    },
    sendJob: async (queue, id, data) => {
      const job = data as SignedJob
      const { type } = JSON.parse(job.header)
      if (type === 'restart') restarts.push(queue)
      else jobs.push({ queue, id, job })
    },
    sendCancel: async (data) => {
      const { type } = JSON.parse((data as SignedJob).header)
      if (type === 'cancel') cancels.push(data)
    },
    live: async () => undefined,
    boxesDue: async () => undefined,
    rulesDue: async () => undefined,
    toolsDue: async () => undefined,
    pass: async () => true,
  }
  const permissions: PermissionsStore = {
    load: async () => ({ text: rules.text, version: rules.text }),
    save: async (_worker, version, text) => {
      if (version !== rules.text) return false
      rules.text = text
      return true
    },
    describe: () => 'the rules of the test',
  }
  const ctx: TurnContext = {
    db,
    signals,
    permissions,
    permissionsIn: () => permissions,
    parseRules: createRulesCache(),
    model,
    observer: { record: (event) => void events.push(event) },
    log: silentLog,
    redact: (text) => text,
    settings: { ...defaults, ...settings },
    people: {},
    messages: messagesOf('en'),
    tools: builtinTools,
    catalogue: new ToolCatalogue(builtinTools),
    callsInText: !model.nativeTools,
    signer: createSigner(generateKeyPair().privateKeyPem),
    enrolmentSecret,
    operator: { rules: [] },
    policy: undefined,
    variables: new Set(),
    web: { allowedDomains: [], deniedDomains: [], allowedPorts: [443] },
    files: { allowed: () => [], denyRead: [], allowRead: [] },
    commands: { allowed: () => [], network: false },
    protectedPaths: () => ['/data'],
    agentId: newId(),
    liveKey: generateKeyPair().publicKeyPem,
    unenrolledWorkers: new UnenrolledWorkers(),
    runningModelCalls: new Map(),
  }
  for (const caller of [ada, bob, eve]) await saveCaller(db, caller)
  const replica = { id: newId(), signer: createSigner(generateKeyPair().privateKeyPem) }
  let beats = 0
  const from = () => ({
    worker: 'default',
    replica: replica.id,
    at: new Date().toISOString(),
  })
  const send = (message: WorkerMessage) =>
    receiveWorkerMessage(ctx, signMessage(replica.signer, message))
  const bench: BenchContext = {
    database,
    ctx,
    jobs,
    cancels,
    restarts,
    stopped,
    due,
    rules,
    events,
    another: (other = model) => ({
      ...ctx,
      model: other,
      agentId: newId(),
      runningModelCalls: new Map(),
    }),
    act: async (body, as = ada, externalId = newId()) => {
      if (isAnswer(body)) await showCards(db)
      const { conversationId: id } = await receive(ctx, {
        platform: 'test',
        externalId,
        conversation: 'room',
        callerId: as.id,
        body,
      })
      await handleInbox(ctx, id)
      return id
    },
    say: (text, as) => bench.act({ kind: 'message', text }, as),
    step: async (as = ctx) => {
      const turns = await db
        .selectFrom('turn')
        .select('id')
        .where('state', 'in', ['queued', 'thinking', 'acting'])
        .execute()
      for (const turn of turns) await advanceTurn(as, turn.id)
    },
    calls: () => db.selectFrom('tool_call').selectAll().orderBy('number').execute(),
    hello: (confined = true) => {
      const publicKey = replica.signer.publicKeyPem
      return send({
        type: 'hello',
        ...from(),
        beat: ++beats,
        driver: confined ? 'bubblewrap' : 'process',
        confined,
        warnings: [],
        boxWorkspace: '/workspace',
        tools: builtinTools.map((tool) => tool.name),
        publicKey,
        proof: enrolmentProof(token, { worker: 'default', replica: replica.id, publicKey }),
      })
    },
    bye: () => send({ type: 'bye', ...from(), beat: ++beats }),
    result: (call, outcome, attempt = call.attempt, durationMs = 5) =>
      send({
        type: 'result',
        ...from(),
        callId: call.id,
        attempt,
        jobType: outcome.kind === 'preview' ? 'preview' : 'run',
        durationMs,
        outcome,
      }),
    started: (call) => send({ type: 'started', ...from(), callId: call.id, attempt: call.attempt }),
    receive: send,
    auditKinds: async () => {
      const rows = await db
        .selectFrom('audit_log')
        .select('kind')
        .where('call_id', 'is not', null)
        .orderBy('id')
        .execute()
      return rows.map(({ kind }) => kind)
    },
    notices: async () => {
      const rows = await db.selectFrom('outbox').select('body').orderBy('id').execute()
      return rows.flatMap(({ body }) => {
        const message = JSON.parse(body)
        return message.text ?? message.markdown ?? []
      })
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
  await bench.hello()
  return bench
}

/** APPR-17: as without a word of the operator. */
export const anybody: CoreSettings['approvers'] = {
  allowSelf: true,
  roles: { low: 'user', medium: 'user', high: 'user' },
  people: { low: 1, medium: 1, high: 1 },
  quorum: [],
}

/** APPR-18: cards where they were asked, and nobody is asked next. */
export const here: CoreSettings['routing'] = {
  route: 'conversation',
  channel: undefined,
  escalateTo: [],
  escalateAfterMs: undefined,
}

const defaults: CoreSettings = {
  worker: 'default',
  maxToolIterations: 10,
  modelTimeoutMs: 600_000,
  modelRetryBudgetMs: 60_000,
  maxToolCallsPerSession: undefined,
  toolsEnabled: true,
  approvalTtlMs: 86_400_000,
  remindAfterMs: undefined,
  transaction: undefined,
  onExpiry: 'deny',
  learnAfter: 10,
  hasDigest: false,
  approvers: anybody,
  routing: here,
  workerGraceMs: 600_000,
  shellTimeoutMs: 30_000,
  webTimeoutMs: 15_000,
  shellMaxTimeoutMs: 600_000,
  overflowThreshold: 50_000,
  overflowMaxBytes: 10_485_760,
  overflowRetentionDays: 7,
  alertsTo: undefined,
  budgets: { warnAt: 0.8, exempt: [], caller: {}, session: {} },
  prices: {},
}
