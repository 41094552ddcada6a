import { z } from 'zod'
import { toolErrorCategories } from '../../domain/tool/tool-error.ts'
import { maxUploadBytes } from '../../domain/upload.ts'

/** Queue names. Ids of jobs: `turn-<id>-<epoch>`, `call-<id>-<attempt>[-<send>]`, `result-<random>`. */
export const turnsQueue = 'turns'
export const resultsQueue = 'results'
export function toolsQueue(worker: string, replica?: string): string {
  return replica === undefined ? `tools-${worker}` : `tools-${worker}.${replica}`
}

/** Bus topics. */
export const cancelTopic = 'cancel'
export const liveTopic = 'live'
export const outboxTopic = 'outbox'
export const stopTopic = 'stop'
export const boxesTopic = 'boxes'
export const rulesTopic = 'rules'

const id = z.string().regex(/^[A-Za-z0-9-]{1,64}$/)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const seconds = z.number().int().nonnegative()
const path = z.string().min(1).max(4096)
/** As large as a column of PostgreSQL's `integer` takes: a larger one would end each try to settle the call. */
const largestInteger = 2_147_483_647
const milliseconds = z.number().nonnegative().max(largestInteger)
/** Of a call's runs; rises with each. */
const attempt = z.number().int().positive().max(largestInteger)
/** As the configuration has it: anything else could not even be looked up. */
export const workerName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/)

const fileRules = z.strictObject({
  workspace: path,
  allowed: z.array(path).max(256),
  denyRead: z.array(z.string()).max(1024),
  allowRead: z.array(z.string()).max(1024),
  denyByRule: z.array(z.string()).max(4096),
  masked: z.array(path).max(256),
})

/** What the agent signs (PROC-02). `iat` and `exp` are Unix seconds; `workspaceId` names the workspace directory. */
export const jobHeader = z.strictObject({
  v: z.literal(1),
  kid: z.string().max(64),
  /** `restart` ends the workspace's box, with whatever still runs in it; its call id is a fresh one. */
  type: z.enum(['run', 'preview', 'cancel', 'restart']),
  callId: id,
  turnId: id,
  epoch: z.number().int(),
  /** Of a preview the number of the question that it is for: its answer is for no other (APPR-16). */
  attempt,
  worker: workerName,
  conversation: id,
  tool: z.string().max(64),
  argumentsSha256: digest,
  /** CHAT-07: of the bytes that travel beside the arguments. */
  contentSha256: digest.optional(),
  workspaceId: id,
  rules: fileRules,
  judged: z.array(path).max(16),
  /** SHELL-07: the wildcards of a command, absolute; it does not run where one names what the rules deny. */
  globs: z.array(path).max(256).optional(),
  /** APPR-24: the files of the workspace that a command runs; `baseSha256` is of all their digests. */
  programs: z.array(path).max(64).optional(),
  baseSha256: digest.optional(),
  timeoutMs: z.number().int().positive(),
  network: z.boolean(),
  /** BASH-07: the workspace is put back when the call fails; a call whose workspace is larger is refused, or not put back. */
  transaction: z
    .strictObject({ maxBytes: z.number().int().nonnegative(), isRequired: z.boolean() })
    .optional(),
  /**
   * OUT-11: the result names the state of the files that it was made from; where it is `known` already, the answer is `unchanged`.
   */
  cache: z.strictObject({ known: z.exactOptional(digest) }).optional(),
  caller: z.string().max(256),
  approvalId: id.optional(),
  iat: seconds,
  exp: seconds,
})
export type JobHeader = z.infer<typeof jobHeader>

/** Of 20 MiB in base64. */
const maxContentLength = Math.ceil(maxUploadBytes / 3) * 4

/** One line from agent to worker: the exact signed text, its signature, and the exact argument text beside it. */
export const signedJob = z.strictObject({
  header: z.string().max(1_000_000),
  signature: z.string().max(200),
  arguments: z.string(),
  /** CHAT-07: the bytes of a file, in base64. */
  content: z.string().max(maxContentLength).optional(),
})
export type SignedJob = z.infer<typeof signedJob>

const toolError = z.strictObject({ category: z.enum(toolErrorCategories), message: z.string() })

const envelope = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().int().min(-largestInteger).max(largestInteger).nullable(),
  truncated: z.boolean(),
  duration_ms: milliseconds,
  timed_out: z.boolean(),
})

const confidence = z.enum(['full', 'partial', 'fallback'])

/** OUT-06: what filters made of an output. `text` is what the model is shown; missing: the output itself. */
const filteredOutput = z.strictObject({
  text: z.string().optional(),
  rules: z
    .array(z.strictObject({ name: z.string().min(1).max(64), confidence }))
    .min(1)
    .max(32),
  confidence,
  linesBefore: z.number().int().nonnegative().max(1_000_000_000),
  linesAfter: z.number().int().nonnegative().max(1_000_000_000),
})
export type FilteredOutput = z.infer<typeof filteredOutput>

/** WEB-07: a few of each call, so bounded that no worker fills the audit with them. */
const webHop = z.strictObject({
  url: z.string().max(2_000),
  host: z.string().max(260),
  method: z.literal('GET'),
  address: z.exactOptional(z.string().max(64)),
  status: z.exactOptional(z.number().int().min(100).max(999)),
  bytes: z.number().int().nonnegative(),
  blocked: z.exactOptional(z.string().max(1_000)),
  error: z.exactOptional(z.string().max(1_000)),
  try: z.exactOptional(z.number().int().min(2).max(10)),
})
const hops = z.array(webHop).max(24).optional()
/** ERR-03: how often a call was run that the system tries again. */
const tries = z.number().int().min(1).max(10).optional()

export const programFile = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    bytes: z.number().int().nonnegative(),
    sha256: digest,
  }),
  z.strictObject({ kind: z.literal('absent') }),
  z.strictObject({ kind: z.literal('unread') }),
])

/** How a call ended at the worker. All texts are sanitised and redacted before they get here. */
export const callOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('succeeded'),
    /** Whole, as far as it is bounded: the model is shown `filtered` where that is there. */
    output: z.string(),
    envelope: envelope.optional(),
    filtered: filteredOutput.optional(),
    /** OUT-11: of the files that it was made from. */
    fingerprint: digest.optional(),
    hops,
    tries,
  }),
  /** OUT-11: not run: the files are as the job knew them. */
  z.strictObject({ kind: z.literal('unchanged') }),
  z.strictObject({
    kind: z.literal('failed'),
    error: toolError,
    output: z.string().optional(),
    envelope: envelope.optional(),
    filtered: filteredOutput.optional(),
    hops,
    tries,
  }),
  /** The worker died in the middle; whatever lived of it was killed. `note`: what was done about its effects. */
  z.strictObject({ kind: z.literal('interrupted'), note: z.string().max(1_000).optional() }),
  /** Not begun: the canonical paths differ from the judged ones. */
  z.strictObject({ kind: z.literal('elsewhere'), canonical: z.array(path).max(16) }),
  /** Not begun: the file is not the one the approved diff was made from. */
  z.strictObject({ kind: z.literal('changed'), path }),
  /** Not begun: signature, digest, expiry or address was wrong. */
  z.strictObject({ kind: z.literal('refused'), why: z.string() }),
  z.strictObject({ kind: z.literal('preview'), diff: z.string(), baseSha256: digest }),
  z.strictObject({ kind: z.literal('programs'), files: z.array(programFile).max(64) }),
])
export type CallOutcome = z.infer<typeof callOutcome>

export const replicaId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/)
const from = { worker: workerName, replica: replicaId, at: z.iso.datetime() }
/** Rises with everything a replica says of itself, so that nobody can say it again for it. */
const beat = z.number().int().positive()

/** What a replica signs and sends over the `results` queue. */
export const workerMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    ...from,
    beat,
    driver: z.enum(['bubblewrap', 'docker', 'process']),
    confined: z.boolean(),
    warnings: z.array(z.string().max(2_000)).max(32),
    /** The workspace's path in the box; `{workspace}` stands for the workspace id. */
    boxWorkspace: path.refine((text) => !text.includes('\0')),
    tools: z.array(z.string().max(64)).max(1_024),
    /** Ed25519, SPKI PEM. */
    publicKey: z.string().max(1_000),
    /** HMAC-SHA-256 with the worker's token over `worker`, `replica`, `publicKey`, joined by newlines; hex. */
    proof: digest,
  }),
  z.strictObject({
    type: z.literal('started'),
    ...from,
    callId: id,
    attempt,
  }),
  z.strictObject({
    type: z.literal('result'),
    ...from,
    callId: id,
    attempt,
    /** `preview` answers a preview job and settles nothing. */
    jobType: z.enum(['run', 'preview', 'cancel']),
    durationMs: milliseconds,
    outcome: callOutcome,
  }),
  z.strictObject({ type: z.literal('bye'), ...from, beat }),
])
export type WorkerMessage = z.infer<typeof workerMessage>

/** One line from worker to agent: the exact signed text and its signature by the replica's key. */
export const signedMessage = z.strictObject({
  body: z.string(),
  signature: z.string().max(200),
})
export type SignedMessage = z.infer<typeof signedMessage>
