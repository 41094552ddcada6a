import { z } from 'zod'
import { claimMs, deliverConversation } from '../core/delivery/deliver.ts'
import { TakeOver } from '../core/delivery/take-over.ts'
import { fetchUploads } from '../core/inbox/files/fetch-uploads.ts'
import { type InboundFile, receiveFile } from '../core/inbox/files/receive-file.ts'
import { handleAllInboxes, handleInbox } from '../core/inbox/handle.ts'
import type { Inbound } from '../core/inbox/inbound.ts'
import type { InboxKernel } from '../core/inbox/inbox-kernel.ts'
import { receive } from '../core/inbox/receive.ts'
import { takeIncoming } from '../core/inbox/take-incoming.ts'
import { formOf } from '../core/inbox/taps/form-of.ts'
import { readTapAnswer } from '../core/inbox/taps/read-tap-answer.ts'
import { tellWhenAway } from '../core/inbox/tell-when-away.ts'
import { isListedById } from '../core/kernel/role-lists.ts'
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
/** Conversations whose files are fetched at once: each file is in memory as a whole. */
const fetchesAtOnce = 4

export interface Gateway extends AsyncDisposable {
  /** Stores what a known caller did, then acts on it; resolves when both are done. Answers the conversation. */
  act(inbound: Inbound): Promise<string>
  /** The same with a file whose bytes are here. */
  upload(file: InboundFile): Promise<string>
  /** Where a platform's adapter hands over what anybody did. */
  readonly intake: Intake
}

/** Serves one chat platform: what comes in becomes rows, what waits in the outbox goes out. */
export async function runGateway(
  core: InboxKernel,
  bus: Bus,
  platform: ChatPlatform,
): Promise<Gateway> {
  const kernel = { ...core, signals: tellWhenAway(core) }
  const resources = new AsyncDisposableStack()
  const relay = new LiveRelay(kernel.db, platform)
  const watched = relay.watched()
  const takeOver = new TakeOver(claimMs)
  const line = resources.use(
    new PerKeyQueue(
      (id, signal) =>
        takeOver.watching(() => {
          const how = { signal, takesOver: takeOver.isSafe }
          return deliverConversation(kernel, watched, id, how)
        }),
      kernel.log,
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
        const afterMs = await fetchUploads(kernel, platform, id, signal)
        await handleInbox(kernel, id)
        return afterMs
      },
      kernel.log,
      fetchesAtOnce,
    ),
  )
  const ears = new EventVerifier(kernel.db)
  const hear = async (payload: unknown): Promise<void> => {
    const spoken = await ears.open(payload)
    if (spoken !== undefined) await relay.show(spoken)
  }
  resources.use(await bus.subscribe(liveTopic, (payload) => void hear(payload)))
  const poll = (what: string, work: () => Promise<void>) =>
    resources.use(runPeriodically(pollEveryMs, kernel.log, what, work))
  poll('handle what came', () => handleAllInboxes(kernel))
  // For signals that were lost.
  poll('deliver', async () => {
    const waiting = await takeOver.watching(() => findWaitingOutboxes(kernel.db, platform.name))
    for (const id of waiting) line.ask(id)
  })
  poll('fetch files', async () => {
    for (const id of await findDueUploads(kernel.db, platform.name)) files.ask(id)
  })
  return {
    act: async (inbound) => {
      const { conversationId } = await receive(kernel, inbound)
      await handleInbox(kernel, conversationId)
      return conversationId
    },
    upload: async (file) => {
      const conversationId = await receiveFile(kernel, file)
      await handleInbox(kernel, conversationId)
      return conversationId
    },
    intake: {
      take: (incoming) => take(kernel, incoming, files),
      formOf: (incoming) => formOf(kernel, incoming),
      isListed: ({ id }) => isListedById(platform.name, kernel.people[platform.name], id),
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Resolves once it is stored; handling goes on by itself, and from the row should this process die. */
async function take(
  kernel: InboxKernel,
  incoming: Incoming,
  files: PerKeyQueue,
): ReturnType<Intake['take']> {
  const taken = await takeIncoming(kernel, incoming)
  if (taken.kind === 'not_taken') return { known: false, answer: Promise.resolve(taken.answer) }
  if (incoming.act.kind === 'message' && incoming.act.files !== undefined) {
    files.ask(taken.conversationId)
  }
  const handled = handleInbox(kernel, taken.conversationId)
    .then(() =>
      incoming.act.kind === 'message' ? undefined : readTapAnswer(kernel.db, taken.eventId),
    )
    .catch((error: unknown) => {
      kernel.log.warn({ err: error }, 'what came in is handled later')
      return undefined
    })
  return { known: true, answer: handled }
}
