import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ConsoleHandlers, ConsoleOptions } from '../../adapters/chat/console/console-chat.ts'
import { createConsole } from '../../adapters/chat/console/create-console.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import type { InboundBody } from '../../core/inbox/inbound.ts'
import { findPending } from '../../db/approval/approvals.ts'
import { findExplainingOfTurn } from '../../db/approval/due-approvals.ts'
import { findOpenCalls } from '../../db/call/tool-calls.ts'
import { nextInbound } from '../../db/outbox/inbox.ts'
import { hasPendingOutgoing } from '../../db/outbox/outbox.ts'
import { savePrivateConversation } from '../../db/outbox/reach.ts'
import { saveCaller } from '../../db/people/callers.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import { readDatabaseTime } from '../../db/turn/leases.ts'
import { findPresentSession } from '../../db/turn/sessions.ts'
import { hasEndedInFailure } from '../../db/turn/turn-activity.ts'
import { findLiveTurn } from '../../db/turn/turns.ts'
import { createLocalClock } from '../../domain/messages/language.ts'
import { messagesOf } from '../../domain/messages/messages.ts'
import { untilAborted } from '../../util/abort.ts'
import { isConnectionLoss } from '../../util/has-code.ts'
import { newId } from '../../util/ids.ts'
import type { Product } from '../open-product.ts'
import { greetingLines } from './run-service.ts'
import { pathToUpload, uploadOwnFile } from './upload-own-file.ts'

const pollMs = 20

/** Milliseconds to wait for an unavailable database. */
const lossPatienceMs = 60_000

export interface TerminalOptions {
  readonly product: Product
  readonly config: Config
  readonly environment: Environment
  readonly input: ConsoleOptions['input'] & { readonly isTTY?: boolean }
  readonly output: ConsoleOptions['output'] & { readonly isTTY?: boolean }
  readonly version: string
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal
}

/** Exit codes if the input ended while an approval was pending, or after a failed last turn (TERM-01). */
const stillWaiting = 3
const turnFailed = 1
const platform = 'console'
const place = 'local'

/** Serves the terminal, or pipes line by line, until the input ends. Returns the exit code. */
export async function serveTerminal(options: TerminalOptions): Promise<number> {
  const { product, config, environment, output, signal } = options
  const { db } = product.ctx
  const startedAt = await readDatabaseTime(db)
  const chat = consoleOf(options)
  const callerId = `console:${environment.user}`
  await saveCaller(db, { id: callerId, name: environment.user, role: 'operator' })
  const greeting = await greetingLines(product, config, product.ctx.messages)
  const isTty = isTerminal(options)
  const help = isTty ? [] : [product.ctx.messages.terminal.help]
  output.write(`${[...greeting, ...help].join('\n')}\n\n`)
  const gateway = await product.serve(chat)
  const conversation = await ensureConversation(db, platform, place)
  await savePrivateConversation(db, callerId, conversation.id)
  const take = (body: InboundBody) =>
    gateway.act({ platform, externalId: newId(), conversation: place, callerId, body })
  const own = {
    ...{ ctx: product.ctx, gateway, platform, callerId, conversation: place },
    home: environment.home,
  }
  const quiet = () => waitForIdle(db, conversation.id, config.worker.name, signal)
  // The process was asked to end during the start; the closed input would never report that.
  if (signal.aborted) return 0
  try {
    // Pending cards are not on a new screen, and only visible ones can be answered by a letter.
    if (isTty && (await hasQuestions(db, conversation.id, config.worker.name))) {
      await take({ kind: 'message', text: '/approvals' })
    }
    const chatting = chat.run({
      ...actsOf(take),
      onLine: async (text) => {
        // Piped text names no files of this machine.
        const path = isTty ? pathToUpload(text) : undefined
        if (path === undefined) await take({ kind: 'message', text })
        else await uploadOwnFile(own, path)
        // A piping program must not answer an approval before it was asked.
        if (!isTty) await quiet()
      },
      onInterrupt: async () => {
        const session = await findPresentSession(db, conversation.id, config.worker.name)
        const turn = session === undefined ? undefined : await findLiveTurn(db, session.id)
        if (turn === undefined) return 'idle'
        await take({ kind: 'stop' })
        return 'stopped'
      },
    })
    // Input held open by another program does not end by itself.
    await Promise.race([chatting, untilAborted(signal)])
    if (isTty || signal.aborted) return 0
    const { pending } = await quiet()
    if (pending.length > 0) return printPendingApprovals(pending, output)
    return (await hasEndedInFailure(db, conversation.id, startedAt)) ? turnFailed : 0
  } catch (error) {
    // PROC-03: errors caused by the requested end are not failures.
    if (signal.aborted) return 0
    throw error
  }
}

/** Returns the handlers that only forward acts. */
function actsOf(
  take: (body: InboundBody) => Promise<unknown>,
): Omit<ConsoleHandlers, 'onLine' | 'onInterrupt'> {
  return {
    onDecision: async (approvalId, decision) => {
      await take({ kind: 'decision', approvalId, decision })
      return ''
    },
    onBatch: async (batchId, action) => {
      await take({ kind: 'batch', batchId, action })
    },
    onShell: async (command) => {
      await take({ kind: 'shell', command })
    },
    onEnd: async () => undefined,
  }
}

async function hasQuestions(db: Db, conversationId: string, worker: string): Promise<boolean> {
  const session = await findPresentSession(db, conversationId, worker)
  return session !== undefined && (await findPending(db, session.id)).length > 0
}

function isTerminal({ input, output }: TerminalOptions): boolean {
  return input.isTTY === true && output.isTTY === true
}

function consoleOf(options: TerminalOptions) {
  const { config, environment, input, output, version } = options
  const isTty = isTerminal(options)
  return createConsole({
    input,
    output,
    isTty,
    version,
    messages: {
      ...messagesOf(config.chat.language),
      clock: createLocalClock(config.chat.language),
    },
    columns: output.columns ?? environment.columns ?? 80,
    color: isTty && !environment.noColor && environment.term !== 'dumb',
    historyFile: join(config.dataDir, 'console-history'),
  })
}

function printPendingApprovals(
  pending: readonly ApprovalRow[],
  output: Pick<TerminalOptions['output'], 'write'>,
): number {
  const lines = pending.map((row) => `  ${row.number}  ${row.tool}  (${row.id})`)
  const head =
    'Still waiting for an answer (/approve n, /always n or /deny n after the next start):'
  output.write(`${[head, ...lines].join('\n')}\n`)
  return stillWaiting
}

/** Idle state of a conversation, with pending approvals, oldest first. */
interface IdleState {
  readonly pending: readonly ApprovalRow[]
}

/**
 * Waits until a conversation has only approvals left and everything was delivered, so that a piping program does not
 * answer before it was asked.
 */
export async function waitForIdle(
  db: Db,
  conversationId: string,
  worker: string,
  signal?: AbortSignal,
): Promise<IdleState> {
  let answeredAt = Date.now()
  for (;;) {
    signal?.throwIfAborted()
    try {
      const quiet = await look(db, conversationId, worker)
      if (quiet !== undefined) return quiet
      answeredAt = Date.now()
    } catch (error) {
      // INT-32: an embedded server is restarted, and another one may come back.
      if (!isConnectionLoss(error) || Date.now() - answeredAt > lossPatienceMs) throw error
    }
    await delay(pollMs, undefined, signal === undefined ? {} : { signal })
  }
}

async function look(
  db: Db,
  conversationId: string,
  worker: string,
): Promise<IdleState | undefined> {
  if ((await nextInbound(db, conversationId)) !== undefined) return undefined
  const session = await findPresentSession(db, conversationId, worker)
  if (session === undefined) return settled(db, conversationId, [])
  const pending = await findPending(db, session.id)
  const turn = await findLiveTurn(db, session.id)
  if (turn === undefined) return settled(db, conversationId, pending)
  if (turn.state !== 'acting' || turn.next_due !== null || turn.lease_owner !== null)
    return undefined
  const open = await findOpenCalls(db, turn.id)
  const isBusy = open.some((call) => call.state === 'queued' || call.state === 'running')
  const isShown = pending.every((approval) => approval.card_outbox_id !== null)
  if (isBusy || !isShown) return undefined
  const explaining = await findExplainingOfTurn(db, turn.id)
  if (pending.length === 0 && explaining.length === 0) return undefined
  return settled(db, conversationId, pending)
}

async function settled(
  db: Db,
  conversationId: string,
  pending: readonly ApprovalRow[],
): Promise<IdleState | undefined> {
  return (await hasPendingOutgoing(db, conversationId)) ? undefined : { pending }
}
