import { z } from 'zod'
import { claimMs, deliverConversation } from '../core/delivery/deliver.ts'
import { TakeoverGuard } from '../core/delivery/take-over.ts'
import { fetchUploads } from '../core/inbox/files/fetch-uploads.ts'
import { type InboundFile, receiveFile } from '../core/inbox/files/take-files.ts'
import { handleAllInboxes, handleInbox } from '../core/inbox/handle.ts'
import type { Inbound, InboxContext } from '../core/inbox/inbound.ts'
import { receive } from '../core/inbox/store-event.ts'
import { takeIncoming } from '../core/inbox/take-incoming.ts'
import { formOf, readTapAnswer } from '../core/inbox/taps/form-of.ts'
import { notifyWhenQueueAway } from '../core/inbox/tell-when-away.ts'
import { isListedById } from '../core/people/people.ts'
import { findWaitingOutboxes } from '../db/outbox/outbox.ts'
import { findDueUploads } from '../db/upload/upload-claims.ts'
import type { Bus } from '../ports/bus.ts'
import type { ChatPlatform, Incoming, Intake } from '../ports/chat.ts'
import { liveTopic, outboxTopic } from '../rules/jobs/contract.ts'
import { runPeriodically } from '../util/run-periodically.ts'
import { EventVerifier } from './event-verifier.ts'
import { LiveRelay } from './live-relay.ts'
import { PerKeyQueue } from './per-key-queue.ts'

const outboxEvent = z.object({ conversationId: z.uuid() })
const pollEveryMs = 1_000
/** Conversations whose files are downloaded concurrently: each file is held in memory. */
const fetchesAtOnce = 4

export interface Gateway extends AsyncDisposable {
  /** Stores a known caller's action and handles it; resolves when both are done. Returns the conversation id. */
  act(inbound: Inbound): Promise<string>
  /** The same with a file whose content is already here. */
  upload(file: InboundFile): Promise<string>
  /** Where a platform adapter hands over incoming messages and actions. */
  readonly intake: Intake
}

/** Serves one chat platform: incoming messages become rows, outbox rows are delivered. */
export async function runGateway(
  core: InboxContext,
  bus: Bus,
  platform: ChatPlatform,
): Promise<Gateway> {
  const ctx = { ...core, signals: notifyWhenQueueAway(core) }
  const resources = new AsyncDisposableStack()
  const relay = new LiveRelay(ctx.db, platform)
  const watched = relay.watched()
  const takeOver = new TakeoverGuard(claimMs)
  const line = resources.use(
    new PerKeyQueue(
      (id, signal) =>
        takeOver.trackOutages(() => {
          const how = { signal, takesOver: takeOver.isSafe }
          return deliverConversation(ctx, watched, id, how)
        }),
      ctx.log,
    ),
  )
  resources.use(
    await bus.subscribe(outboxTopic, (payload) => {
      const event = outboxEvent.safeParse(payload)
      if (event.success) line.ask(event.data.conversationId)
    }),
  )
  const files = resources.use(
    new PerKeyQueue(
      async (id, signal) => {
        const afterMs = await fetchUploads(ctx, platform, id, signal)
        await handleInbox(ctx, id)
        return afterMs
      },
      ctx.log,
      fetchesAtOnce,
    ),
  )
  const ears = new EventVerifier(ctx.db)
  const hear = async (payload: unknown): Promise<void> => {
    const spoken = await ears.open(payload)
    if (spoken !== undefined) await relay.show(spoken)
  }
  resources.use(await bus.subscribe(liveTopic, (payload) => void hear(payload)))
  const poll = (what: string, work: () => Promise<void>) =>
    resources.use(runPeriodically(pollEveryMs, ctx.log, what, work))
  poll('handle what came', () => handleAllInboxes(ctx))
  // Covers lost signals.
  poll('deliver', async () => {
    const waiting = await takeOver.trackOutages(() => findWaitingOutboxes(ctx.db, platform.name))
    for (const id of waiting) line.ask(id)
  })
  poll('fetch files', async () => {
    for (const id of await findDueUploads(ctx.db, platform.name)) files.ask(id)
  })
  return {
    act: async (inbound) => {
      const { conversationId } = await receive(ctx, inbound)
      await handleInbox(ctx, conversationId)
      return conversationId
    },
    upload: async (file) => {
      const conversationId = await receiveFile(ctx, file)
      await handleInbox(ctx, conversationId)
      return conversationId
    },
    intake: {
      take: (incoming) => take(ctx, incoming, files),
      formOf: (incoming) => formOf(ctx, incoming),
      isListed: ({ id }) => isListedById(platform.name, ctx.people[platform.name], id),
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Resolves once it is stored; handling continues in the background, from the row if this process dies. */
async function take(
  ctx: InboxContext,
  incoming: Incoming,
  files: PerKeyQueue,
): ReturnType<Intake['take']> {
  const taken = await takeIncoming(ctx, incoming)
  if (taken.kind === 'not_taken') return { known: false, answer: Promise.resolve(taken.answer) }
  if (incoming.act.kind === 'message' && incoming.act.files !== undefined) {
    files.ask(taken.conversationId)
  }
  const handled = handleInbox(ctx, taken.conversationId)
    .then(() =>
      incoming.act.kind === 'message' ? undefined : readTapAnswer(ctx.db, taken.eventId),
    )
    .catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'incoming events will be handled later')
      return undefined
    })
  return { known: true, answer: handled }
}
