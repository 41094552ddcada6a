import { findPending } from '../../db/approvals.ts'
import { findCaller } from '../../db/callers.ts'
import { lockConversation } from '../../db/conversations.ts'
import { findWaitingInbound, findWaitingInboxes, markHandled } from '../../db/mail.ts'
import type { ConversationRow, Db, InboundEventRow } from '../../db/schema.ts'
import { lockOpenSession } from '../../db/sessions.ts'
import { findLiveTurn } from '../../db/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import { assertNever } from '../../util/assert-never.ts'
import { attempt } from '../kernel/attempt.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { notice } from '../outbox/post.ts'
import { keepMessage, startNextTurn } from '../session/start-turn.ts'
import type { CommandContext } from './commands/command.ts'
import { findCommand, unknownCommand } from './commands/find-command.ts'
import { stop } from './commands/stop.ts'
import { decideInbound } from './decide-inbound.ts'
import { type InboundBody, inboundBody } from './inbound.ts'
import type { InboxKernel } from './inbox-kernel.ts'
import { putAside } from './put-aside.ts'
import { startShell } from './start-shell.ts'

/** Handles what waits in a conversation's inbox, one event after the other, each in one transaction with its effects. */
export async function handleInbox(kernel: InboxKernel, conversationId: string): Promise<void> {
  while (await handleNext(kernel, conversationId)) {
    // One transaction an event: what was handled stays handled when the next one fails.
  }
}

/** Handles what a crash left in any inbox. */
export async function handleAllInboxes(kernel: InboxKernel): Promise<void> {
  for (const id of await findWaitingInboxes(kernel.db)) {
    await attempt(kernel, 'handle an inbox', () => handleInbox(kernel, id))
  }
}

/** Whether another event waited behind the one that was handled; whoever stores a later one looks again. */
async function handleNext(kernel: InboxKernel, conversationId: string): Promise<boolean> {
  let taken: InboundEventRow | undefined
  try {
    return await handleFirst(kernel, conversationId, (event) => {
      taken = event
    })
  } catch (error) {
    if (taken === undefined) throw error
    return putAside(kernel, taken, error)
  }
}

function handleFirst(
  kernel: InboxKernel,
  conversationId: string,
  onTaken: (event: InboundEventRow) => void,
): Promise<boolean> {
  return transact(kernel, async (db, after) => {
    const conversation = await lockConversation(db, conversationId)
    const [event, following] = await findWaitingInbound(db, conversationId, 2)
    if (event === undefined) return false
    onTaken(event)
    const body = inboundBody.parse(JSON.parse(event.body))
    await handleEvent(kernel, db, after, conversation, event, body)
    await markHandled(db, event.id)
    return following !== undefined
  })
}

async function handleEvent(
  kernel: InboxKernel,
  db: Db,
  after: Effects,
  conversation: ConversationRow,
  event: InboundEventRow,
  body: InboundBody,
): Promise<void> {
  const caller = await findCaller(db, event.caller_id)
  if (caller === undefined) return
  if (body.kind === 'decision') {
    return decideInbound(kernel, db, after, conversation.id, caller, body)
  }
  const session = await lockOpenSession(db, conversation.id, kernel.settings.worker)
  const context: CommandContext = { kernel, db, after, conversation, session, caller }
  switch (body.kind) {
    case 'message':
      return handleText(context, body.text)
    case 'shell':
      return startShell(context, body.command)
    case 'stop':
      return stop(context)
    default:
      return assertNever(body)
  }
}

async function handleText(context: CommandContext, text: string): Promise<void> {
  if (!text.startsWith('/')) return takeMessage(context, context.caller, text)
  const [name = '', ...rest] = text.slice(1).split(/\s+/)
  const command = findCommand(name)
  if (command === undefined) return unknownCommand(context, name)
  await command.run(context, text.slice(1 + name.length).trim(), rest)
}

/** APPR-09: kept and acknowledged at once; read at the next step, or by a turn of its own. */
async function takeMessage(context: CommandContext, author: Caller, text: string): Promise<void> {
  const { db, after, conversation, session } = context
  await keepMessage(db, session, author, text)
  const started = await startNextTurn(db, after, session)
  if (started !== undefined) return
  const live = await findLiveTurn(db, session.id)
  const waiting = await findPending(db, session.id)
  const own = live?.caller_id === author.id
  await notice(db, after, conversation.id, acknowledge(own, waiting.length))
}

function acknowledge(own: boolean, waiting: number): string {
  if (!own) return 'Noted. It gets a turn of its own when the present one has ended.'
  const open = waiting === 1 ? 'The question above stays open.' : `${waiting} questions stay open.`
  return waiting === 0
    ? 'Noted; it is read at the next step.'
    : `Noted; it is read at the next step. ${open}`
}
