import { z } from 'zod'
import { handleAllInboxes, handleInbox } from '../core/inbox/handle.ts'
import type { Inbound } from '../core/inbox/inbound.ts'
import type { InboxKernel } from '../core/inbox/inbox-kernel.ts'
import { receive } from '../core/inbox/receive.ts'
import { deliverAll, deliverConversation } from '../core/outbox/deliver.ts'
import { getConversation } from '../db/conversations.ts'
import type { Bus } from '../ports/bus.ts'
import type { ChatPlatform, LiveEvent } from '../ports/chat.ts'
import { liveTopic, outboxTopic } from '../rules/jobs/contract.ts'
import { every } from './every.ts'
import { liveEvent } from './live-event.ts'

const outboxEvent = z.object({ conversationId: z.uuid() })
const liveEnvelope = z.object({ conversationId: z.uuid(), event: liveEvent })
const pollEveryMs = 1_000
const rememberedTurns = 10_000

export interface Gateway extends AsyncDisposable {
  /** Stores what a person did, then acts on it; resolves when it is stored and handled. Answers the conversation. */
  take(inbound: Inbound): Promise<string>
}

/** Serves one chat platform: what comes in becomes rows, what waits in the outbox goes out. */
export async function runGateway(
  kernel: InboxKernel,
  bus: Bus,
  platform: ChatPlatform,
): Promise<Gateway> {
  const resources = new AsyncDisposableStack()
  const names = new Map<string, string>()
  const epochs = new Map<string, number>()
  const watched = forgetAnswered(platform, epochs)
  const deliver = serial((id: string) => deliverConversation(kernel, watched, id), kernel)
  resources.use(
    await bus.subscribe(outboxTopic, (payload) => {
      const event = outboxEvent.safeParse(payload)
      if (event.success) deliver(event.data.conversationId)
    }),
  )
  resources.use(
    await bus.subscribe(liveTopic, (payload) => {
      const parsed = liveEnvelope.safeParse(payload)
      if (parsed.success) showLive(parsed.data.conversationId, parsed.data.event)
    }),
  )
  // INT-2: a holder that lost its turn may still stream; whoever took the turn over has a higher epoch.
  const showLive = (conversationId: string, event: LiveEvent): void => {
    const name = names.get(conversationId)
    if (name === undefined || event.epoch < (epochs.get(event.turnId) ?? 0)) return
    epochs.delete(event.turnId)
    epochs.set(event.turnId, event.epoch)
    const [oldest] = epochs.keys()
    if (epochs.size > rememberedTurns && oldest !== undefined) epochs.delete(oldest)
    platform.live(name, event)
  }
  resources.use(
    every(pollEveryMs, kernel.log, 'gateway', async () => {
      await handleAllInboxes(kernel)
      await deliverAll(kernel, watched)
    }),
  )
  return {
    take: async (inbound) => {
      const id = await receive(kernel, inbound)
      names.set(id, (await getConversation(kernel.db, id)).external_id)
      await handleInbox(kernel, id)
      return id
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Live events may come after the answer they led to; for a turn that was answered nothing shows any more. */
function forgetAnswered(platform: ChatPlatform, epochs: Map<string, number>): ChatPlatform {
  return {
    name: platform.name,
    live: (conversation, event) => platform.live(conversation, event),
    deliver: (conversation, message, editOf) => {
      if (message.kind === 'answer') epochs.set(message.turnId, Number.POSITIVE_INFINITY)
      return platform.deliver(conversation, message, editOf)
    },
  }
}

/** One delivery of a conversation at a time; a signal during one makes it look again afterwards. */
function serial(work: (id: string) => Promise<void>, kernel: InboxKernel): (id: string) => void {
  const again = new Map<string, boolean>()
  const run = async (id: string): Promise<void> => {
    try {
      while (again.get(id) === true) {
        again.set(id, false)
        await work(id)
      }
    } catch (error) {
      kernel.log.warn({ err: error }, 'a delivery failed; it is tried again')
    } finally {
      again.delete(id)
    }
  }
  return (id) => {
    const isUnderWay = again.has(id)
    again.set(id, true)
    if (!isUnderWay) void run(id)
  }
}
