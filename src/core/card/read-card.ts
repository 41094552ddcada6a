import { z } from 'zod'
import type { ApprovalRow } from '../../db/schema.ts'
import type { Card } from '../../domain/approval.ts'
import { grantEnds } from '../../domain/grant-life.ts'
import { isRecord } from '../../util/is-record.ts'
import { readStored } from '../stored.ts'

/** The card as it was stored with its approval. */
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
  }),
])

/** Of cards from before there were fields for it, words told who cancelled a card and whether its call succeeded. */
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

export const card = z.object({
  approvalId: text,
  number: z.number(),
  callId: some,
  tool: text,
  what: text,
  language: some,
  copyable: z.exactOptional(z.object({ kind: z.enum(['command', 'path']), text })),
  file: z.exactOptional(cardFile),
  tooLarge: z.exactOptional(z.literal(true)),
  reasons: list,
  alwaysPatterns: list,
  requestedBy: text,
  whoMayAnswer: text,
  risk: z.exactOptional(z.enum(['low', 'medium', 'high'])),
  votes: z.exactOptional(
    z.object({ people: z.number(), by: z.array(z.object({ name: text, at: text })) }),
  ),
  expiresAt: text,
  warning: some,
  messagesKept: z.exactOptional(z.number()),
  status: z.preprocess(withFields, status),
})
