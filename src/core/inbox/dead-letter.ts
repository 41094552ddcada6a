import { countFailure, markHandled } from '../../db/outbox/inbox.ts'
import type { InboundEventRow } from '../../db/schema.ts'
import { toStorable } from '../../util/text/storable.ts'
import { transact } from '../kernel/transact.ts'
import { notice } from '../outbox/post.ts'
import type { InboxKernel } from './inbox-kernel.ts'

const maxTries = 5
const given =
  'Your message could not be processed and was skipped. An operator can find the details in the log. Later messages are handled.'

/**
 * What became of an event whose handling threw: it is tried again some times, then given up with words to the person, so
 * that it does not hold up the conversation for ever. Answers whether what came after it can be handled now.
 */
export async function deadLetter(
  kernel: InboxKernel,
  event: InboundEventRow,
  error: unknown,
): Promise<boolean> {
  const tries = await transact(kernel, async (db, after) => {
    const failed = await countFailure(db, event.id)
    if (failed === undefined || failed < maxTries) return failed
    const why = kernel.redact(String(error)).slice(0, 500)
    await markHandled(db, event.id, { failure: toStorable(why) })
    await notice(db, after, event.conversation_id, given, event.caller_id)
    const { id: eventId, platform, conversation_id: conversationId } = event
    after.tell({ kind: 'message_put_aside', platform, conversationId, eventId })
    return failed
  })
  const where = { conversation: event.conversation_id, event: event.id }
  kernel.log.error({ err: error, ...where, tries }, 'an event could not be handled')
  return tries === undefined || tries >= maxTries
}
