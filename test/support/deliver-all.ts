import type { CoreContext } from '../../src/core/context.ts'
import { deliverConversation } from '../../src/core/delivery/deliver.ts'
import { findWaitingOutboxes } from '../../src/db/outbox/outbox.ts'
import type { ChatPlatform } from '../../src/ports/chat.ts'

/** Sends whatever waits on a platform now, as its gateway would. */
export async function deliverAll(ctx: CoreContext, platform: ChatPlatform): Promise<void> {
  const waiting = await findWaitingOutboxes(ctx.db, platform.name)
  await Promise.all(waiting.map((id) => deliverConversation(ctx, platform, id)))
}
