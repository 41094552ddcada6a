import type { Readable, Writable } from 'node:stream'
import type { BatchAnswer, Decision } from '../../../domain/approval.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { ChatPlatform } from '../../../ports/chat.ts'

/** Actions of the person at the terminal. */
export interface ConsoleHandlers {
  /** A message or a slash command, possibly of several lines. */
  onLine(text: string): Promise<void>
  /** A key answered a card; resolves to a text for the person, '' if the card itself will show the result. */
  onDecision(approvalId: string, decision: Decision): Promise<string>
  /** A key answered a card for several approvals. */
  onBatch(batchId: string, action: BatchAnswer): Promise<void>
  /** Ctrl-C. `idle`: there was nothing to stop. */
  onInterrupt(): Promise<'stopped' | 'idle'>
  /** A shell command of the person, without its `!` (TERM-03). */
  onShell(command: string): Promise<void>
  /** The person has left; `run` waits for the promise. */
  onEnd(): Promise<void>
}

/** The chat in a terminal. Messages delivered before or after `run` are printed too. */
export interface ConsoleChat extends ChatPlatform {
  /** Reads until the person leaves; handles one line at a time. */
  run(handlers: ConsoleHandlers): Promise<void>
}

export interface ConsoleOptions {
  /** A terminal must have `setRawMode`. */
  readonly input: Readable & { setRawMode?(raw: boolean): unknown }
  /** If it has `columns`, its `resize` events are followed. */
  readonly output: Writable & { columns?: number }
  /** Whether input and output are both terminals. */
  readonly isTty: boolean
  readonly columns: number
  readonly color: boolean
  readonly historyFile?: string
  readonly version: string
  readonly messages: Messages
}
