import { z } from 'zod'
import type { ApprovalRow } from '../../db/schema.ts'
import type { Card } from '../../domain/approval.ts'
import { grantEnds } from '../../domain/grant-life.ts'
import type { Outgoing } from '../../ports/chat.ts'
import type { GateCall } from '../../rules/gate/gate.ts'
import { isRecord } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { effects, readStored, readTexts } from '../stored.ts'

/** Reads the card stored with an approval. */
export function readCard(approval: Pick<ApprovalRow, 'card'>): Card {
  return readStored(card, approval.card)
}

const text = z.string()

const some = z.exactOptional(text)

const list = z.array(text)

export const cardFile = z.object({
  id: text,
  name: text,
  bytes: z.number(),
  lines: z.number(),
  sha256: text,
})

const life = z.exactOptional(z.enum(grantEnds))

const status = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting') }),
  z.object({ kind: z.literal('approved'), by: text, at: text, always: z.boolean(), life }),
  z.object({ kind: z.literal('granted'), life }),
  z.object({ kind: z.literal('denying'), by: text, at: text, until: text }),
  z.object({ kind: z.literal('denied'), by: text, at: text, reason: text.optional() }),
  z.object({ kind: z.literal('expired'), at: text }),
  z.object({ kind: z.literal('cancelled'), why: text, by: some }),
  z.object({ kind: z.literal('running'), by: text, at: some, life }),
  z.object({
    kind: z.literal('finished'),
    by: text,
    at: some,
    life,
    outcome: text,
    isSuccess: z.boolean(),
    durationMs: z.number(),
    lastLine: some,
  }),
])

/** Adds fields to cards stored before they existed, when `why` named the person who cancelled and `outcome` told success. */
function withFields(stored: unknown): unknown {
  if (!isRecord(stored)) return stored
  const { kind, why, outcome, isSuccess } = stored
  if (kind === 'finished' && isSuccess === undefined) {
    return { ...stored, isSuccess: outcome === 'exit 0' || outcome === 'done' || outcome === 'ok' }
  }
  const start = 'stopped by '
  if (kind !== 'cancelled' || typeof why !== 'string' || !why.startsWith(start)) return stored
  return { ...stored, why: 'stopped', by: why.slice(start.length) }
}

const card = z.object({
  approvalId: text,
  number: z.number(),
  callId: some,
  tool: text,
  does: some,
  where: some,
  what: text,
  language: some,
  copyable: z.exactOptional(z.object({ kind: z.enum(['command', 'path']), text })),
  file: z.exactOptional(cardFile),
  isCut: z.exactOptional(z.literal(true)),
  tooLarge: z.exactOptional(z.literal(true)),
  effects: z.exactOptional(effects),
  reasons: list,
  alwaysPatterns: list,
  isAlwaysHarmless: z.exactOptional(z.literal(true)),
  requestedBy: text,
  whoMayAnswer: text,
  risk: z.exactOptional(z.enum(['low', 'medium', 'high'])),
  votes: z.exactOptional(
    z.object({ people: z.number(), by: z.array(z.object({ name: text, at: text })) }),
  ),
  expiresAt: text,
  habit: z.exactOptional(z.object({ times: z.number(), since: text })),
  unanswered: z.exactOptional(
    z.object({ action: z.enum(['deny', 'wait', 'stop']), escalatesAt: some }),
  ),
  warning: some,
  messagesKept: z.exactOptional(z.number()),
  open: z.exactOptional(z.enum(['details', 'choice'])),
  status: z.preprocess(withFields, status),
})

/** Reads the canonical paths that an executor reported for a call, if any. */
export function readCanonical(stored: string | null | undefined): readonly string[] | undefined {
  return stored == null ? undefined : readTexts(stored)
}

/** Builds the gate's view of a call: its arguments and, as far as known, the real targets of its paths. */
export function gateCallOf(
  call: { readonly canonical?: string | null },
  { spec, args }: Pick<GateCall, 'spec' | 'args'>,
): GateCall {
  const canonical = readCanonical(call.canonical)
  return { spec, args, ...(canonical === undefined ? {} : { canonical }) }
}

const yes = z.exactOptional(z.literal(true))

const batch = z.object({
  batchId: text,
  cards: z.array(card),
  file: z.exactOptional(cardFile),
  open: z.exactOptional(z.literal('details')),
})

const grant = z.object({ kind: z.enum(['session', 'file']), id: text })

const outgoing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), markdown: text, turnId: text }),
  z.object({ kind: z.literal('remark'), markdown: text, turnId: text }),
  z.object({
    kind: z.literal('notice'),
    text,
    quoted: some,
    file: z.exactOptional(cardFile.extend({ about: text })),
    isSecret: yes,
    onlyFor: some,
    endsTurn: some,
    revokes: z.exactOptional(z.array(z.object({ label: text, grant }))),
  }),
  z.object({ kind: z.literal('card'), card }),
  z.object({ kind: z.literal('card_update'), card }),
  z.object({ kind: z.literal('batch'), batch }),
  z.object({ kind: z.literal('batch_update'), batch }),
])

/** Parses the body of an outbox message; undefined if it is invalid. */
export function readOutgoing(body: string): Outgoing | undefined {
  return outgoing.safeParse(tryParseJson(body)).data
}
