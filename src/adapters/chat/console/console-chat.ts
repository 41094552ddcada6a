import type { Readable, Writable } from 'node:stream'
import type { Decision } from '../../../domain/approval.ts'
import type { BatchAction } from '../../../domain/batch-card.ts'
import type { ChatPlatform } from '../../../ports/chat.ts'

/** What a person at the terminal can do, as the gateway takes it. */
export interface ConsoleHandlers {
  /** A message or a slash command; may hold several lines. */
  onLine(text: string): Promise<void>
  /** A key answered a card; resolves to words for the person, empty when the card itself will tell. */
  onDecision(approvalId: string, decision: Decision): Promise<string>
  /** The same of a card for several questions. */
  onBatch(batchId: string, action: BatchAction): Promise<void>
  /** Ctrl-C. `idle`: there was nothing to stop. */
  onInterrupt(): Promise<'stopped' | 'idle'>
  /** TERM-03: a person's own command, without its `!`. */
  onShell(command: string): Promise<void>
  /** The person has gone; what it waits for, `run` waits for. */
  onEnd(): Promise<void>
}

/** The chat in a terminal. What is delivered before or after `run` is printed too. */
export interface ConsoleChat extends ChatPlatform {
  /** Reads until the person leaves; each line is handled before the next. */
  run(handlers: ConsoleHandlers): Promise<void>
}

export interface ConsoleOptions {
  /** With a terminal it needs `setRawMode`. */
  readonly input: Readable & { setRawMode?(raw: boolean): unknown }
  /** Its `resize` events are followed, where it has `columns`. */
  readonly output: Writable & { columns?: number }
  /** Whether input and output are both a terminal. */
  readonly isTty: boolean
  readonly columns: number
  readonly color: boolean
  readonly historyFile?: string
  readonly version: string
}
