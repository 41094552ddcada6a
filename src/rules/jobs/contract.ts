import { z } from 'zod'
import { toolErrorCategories } from '../../domain/tool/tool-error.ts'
import { maxUploadBytes } from '../../domain/upload-name.ts'

/** Queue names. Job ids are `turn-<id>-<epoch>`, `call-<id>-<attempt>[-<send>]` and `result-<random>`. */
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
export const toolsTopic = 'tools'

const id = z.string().regex(/^[A-Za-z0-9-]{1,64}$/)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const seconds = z.number().int().nonnegative()
const path = z.string().min(1).max(4096)
/** Maximum of PostgreSQL's `integer`: a larger value would make every attempt to settle the call fail. */
const largestInteger = 2_147_483_647
const milliseconds = z.number().nonnegative().max(largestInteger)
/** Number of the call's run, ascending from 1. */
const attempt = z.number().int().positive().max(largestInteger)
/** As in the configuration; any other name could not be looked up. */
export const workerName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/)

const fileRules = z.strictObject({
  workspace: path,
  allowed: z.array(path).max(256),
  denyRead: z.array(z.string()).max(1024),
  allowRead: z.array(z.string()).max(1024),
  denyByRule: z.array(z.string()).max(4096),
  masked: z.array(path).max(256),
})

/**
 * The part of a job that the agent signs (PROC-02). `iat` and `exp` are Unix seconds; `workspaceId` names the workspace
 * directory.
 */
export const jobHeader = z.strictObject({
  v: z.literal(1),
  kid: z.string().max(64),
  /** `restart` ends the workspace's box and everything that runs in it; its call id is a new one. */
  type: z.enum(['run', 'preview', 'cancel', 'restart']),
  callId: id,
  turnId: id,
  epoch: z.number().int(),
  /** For a preview, the number of the question it belongs to; its answer is valid for no other question (APPR-16). */
  attempt,
  worker: workerName,
  conversation: id,
  tool: z.string().max(64),
  argumentsSha256: digest,
  /** Digest of `content` (CHAT-07). */
  contentSha256: digest.optional(),
  workspaceId: id,
  rules: fileRules,
  judged: z.array(path).max(16),
  /**
   * Commands that print the names which a command will use, those of wildcards too (SHELL-04, SHELL-07). It does not run if a name
   * is an option or denied, or where a line ends it, not one plain word.
   */
  listings: z
    .array(
      z.strictObject({
        directory: path,
        text: z.string().max(2_000),
        isNul: z.literal(true).optional(),
        mayWrite: z.literal(true).optional(),
        into: path.optional(),
      }),
    )
    .max(8)
    .optional(),
  /**
   * Paths that a command may write, and the files and directories that it copies there (SHELL-11). It does not run if one leads to a
   * file of orders that is not in `judged`.
   */
  written: z
    .array(z.strictObject({ path, from: z.array(path).max(1_000).optional() }))
    .max(6_000)
    .optional(),
  /** Workspace files that a command executes (APPR-24); `baseSha256` covers all their digests. */
  programs: z.array(path).max(64).optional(),
  baseSha256: digest.optional(),
  timeoutMs: z.number().int().positive(),
  network: z.boolean(),
  /**
   * The workspace is restored if the call fails (BASH-07). If the workspace exceeds `maxBytes`, the call is refused if
   * `isRequired`, and otherwise runs without being restored.
   */
  transaction: z
    .strictObject({ maxBytes: z.number().int().nonnegative(), isRequired: z.boolean() })
    .optional(),
  /**
   * The result carries a fingerprint of the files it was made from; if that equals `known`, the outcome is `unchanged`
   * (OUT-11).
   */
  cache: z.strictObject({ known: z.exactOptional(digest) }).optional(),
  /** MCP-01: digest of the server's tool as it was approved; the call does not run if the server describes it otherwise now. */
  pin: digest.optional(),
  caller: z.string().max(256),
  approvalId: id.optional(),
  iat: seconds,
  exp: seconds,
})
export type JobHeader = z.infer<typeof jobHeader>

/** 20 MiB in base64. */
const maxContentLength = Math.ceil(maxUploadBytes / 3) * 4

/** A job on the wire: the exact signed text, its signature, and the exact argument text. */
export const signedJob = z.strictObject({
  header: z.string().max(1_000_000),
  signature: z.string().max(200),
  arguments: z.string(),
  /** Bytes of a file, in base64 (CHAT-07). */
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

/** Result of the output filters (OUT-06). `text` is shown to the model; if missing, the output itself. */
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

/** HTTP requests of a call (WEB-07). Bounded, so that no worker can fill the audit. */
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
/** Number of runs of a call that is retried automatically (ERR-03). */
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

/** Outcome of a call at the worker. All texts are already sanitised and redacted. */
export const callOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('succeeded'),
    /** The complete output, within limits; the model is shown `filtered` if present. */
    output: z.string(),
    envelope: envelope.optional(),
    filtered: filteredOutput.optional(),
    /** Digest of the files the output was made from (OUT-11). */
    fingerprint: digest.optional(),
    hops,
    tries,
  }),
  /** Not run, because the files are as in the job's `cache.known` (OUT-11). */
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
  /** The worker died during the call, and remaining processes were killed. `note`: how its effects were treated. */
  z.strictObject({ kind: z.literal('interrupted'), note: z.string().max(1_000).optional() }),
  /** Not started: the canonical paths differ from those that were evaluated, or more would be written. */
  z.strictObject({ kind: z.literal('elsewhere'), canonical: z.array(path).max(16) }),
  /** Not started: the file has changed since the approved diff was made. */
  z.strictObject({ kind: z.literal('changed'), path }),
  /** Not started: invalid signature, digest, expiry or address. */
  z.strictObject({ kind: z.literal('refused'), why: z.string() }),
  z.strictObject({ kind: z.literal('preview'), diff: z.string(), baseSha256: digest }),
  z.strictObject({ kind: z.literal('programs'), files: z.array(programFile).max(64) }),
])
export type CallOutcome = z.infer<typeof callOutcome>

export const replicaId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/)
const from = { worker: workerName, replica: replicaId, at: z.iso.datetime() }
/** Ascending with each `hello` and `bye` of a replica, to prevent replay. */
const beat = z.number().int().positive()

const hint = z.boolean().optional()

/** MCP-01, MCP-08: a tool of a server, within the limits of the worker's reader. */
const mcpTool = z.strictObject({
  name: z.string().min(1).max(128),
  title: z.string().max(200).optional(),
  description: z.string().max(8_000),
  inputSchema: z.string().max(64_000),
  annotations: z.strictObject({
    readOnlyHint: hint,
    destructiveHint: hint,
    idempotentHint: hint,
    openWorldHint: hint,
    requiresUserInteraction: hint,
  }),
  sha256: digest,
})

/** Name of an MCP server in the configuration. */
const serverName = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/)

/** Messages that a replica signs and sends to the `results` queue. */
export const workerMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    ...from,
    beat,
    driver: z.enum(['bubblewrap', 'docker', 'process']),
    confined: z.boolean(),
    warnings: z.array(z.string().max(2_000)).max(32),
    /** Path of the workspace in the box; `{workspace}` stands for the workspace id. */
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
    /** The outcome of a `preview` job settles nothing. */
    jobType: z.enum(['run', 'preview', 'cancel']),
    durationMs: milliseconds,
    outcome: callOutcome,
  }),
  /** An MCP server has become reachable or unreachable, or offers other tools. */
  z.strictObject({
    type: z.literal('server'),
    ...from,
    beat,
    server: serverName,
    title: z.string().max(200),
    launch: z.string().max(4_000),
    state: z.enum(['up', 'away']),
    note: z.string().max(4_000).optional(),
    timeoutMs: z.number().int().positive().max(3_600_000),
    tools: z.array(mcpTool).max(128),
  }),
  z.strictObject({ type: z.literal('bye'), ...from, beat }),
])
export type WorkerMessage = z.infer<typeof workerMessage>

/** A message on the wire: the exact signed text, and its signature with the replica's key. */
export const signedMessage = z.strictObject({
  body: z.string(),
  signature: z.string().max(200),
})
export type SignedMessage = z.infer<typeof signedMessage>
