import { wasSlowedBefore } from '../../db/outbox/inbox.ts'
import { answerHere } from './answer-here.ts'
import type { InboundBody } from './inbound.ts'
import type { IntakeContext, IntakeKernel } from './intake-context.ts'

/** What ends or decides something is never kept waiting. */
const urgent = /^\/(?:stop|deny|approve|always|revoke)\b/i

/** REL-03: how many of these a person may have handled in a minute; undefined: as many as they like. */
export function paceOf({ settings }: IntakeKernel, body: InboundBody): number | undefined {
  if (body.kind !== 'message' && body.kind !== 'files') return undefined
  if (body.kind === 'message' && urgent.test(body.text)) return undefined
  return settings.messagesPerMinute
}

/** Says once that more came than is handled at once; what follows waits in silence. */
export async function tellSlowed(context: IntakeContext, eventId: string): Promise<void> {
  const { kernel, db, incoming } = context
  if (await wasSlowedBefore(db, incoming.from.id, eventId)) return
  const { messagesPerMinute } = kernel.settings
  const text = `You write faster than ${messagesPerMinute} messages a minute. Nothing is lost: the rest is taken one after the other. /stop and answers to questions do not wait.`
  await answerHere(context, text)
}
