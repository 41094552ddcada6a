import { deliverConversation } from '../../src/core/delivery/deliver.ts'
import type { Kernel } from '../../src/core/kernel/kernel.ts'
import { findWaitingOutboxes } from '../../src/db/outbox/outbox.ts'
import type { ChatPlatform } from '../../src/ports/chat.ts'

/** Sends whatever waits on a platform now, as its gateway would. */
export async function deliverAll(kernel: Kernel, platform: ChatPlatform): Promise<void> {
  const waiting = await findWaitingOutboxes(kernel.db, platform.name)
  await Promise.all(waiting.map((id) => deliverConversation(kernel, platform, id)))
}
