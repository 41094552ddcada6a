import { createInterface } from 'node:readline'
import type { Delivery, DeliveryContext, Outgoing } from '../../../ports/chat.ts'
import { newId } from '../../../util/ids.ts'
import { createPaints } from '../render/paint.ts'
import type { ConsoleChat, ConsoleHandlers, ConsoleOptions } from './console-chat.ts'
import { PrintedCards, present } from './present.ts'
import { TerminalConsole } from './terminal-console.ts'
import { wholeBatch, wholeCard } from './whole-card.ts'

/** The chat without a terminal: each input line is a message, and only final messages are printed, without styles or wrapping. */
class PlainConsole implements ConsoleChat {
  readonly name = 'console'
  readonly #options: ConsoleOptions
  readonly #printedCards = new PrintedCards()

  constructor(options: ConsoleOptions) {
    this.#options = options
  }

  async deliver(_place: string, given: Outgoing, context: DeliveryContext): Promise<Delivery> {
    const message = await wholeCard(given, context)
    const batchFile = await wholeBatch(given, context)
    const style = { paints: createPaints(false), columns: undefined, keys: false, rendered: false }
    const { messages } = this.#options
    const printed = { messages, printedCards: this.#printedCards, batchFile, now: Date.now() }
    const text = present(message, { ...style, ...printed })
    if (text !== '') this.#options.output.write(`${text}\n`)
    return { kind: 'sent', messageId: newId() }
  }

  live(): void {
    // Only final messages are printed.
  }

  /** Rejects with the error of a handler, so that a script does not continue unheard. */
  async run(handlers: ConsoleHandlers): Promise<void> {
    for await (const line of createInterface({ input: this.#options.input })) {
      if (line.trim() !== '') await handlers.onLine(line)
    }
    await handlers.onEnd()
  }
}

/** Creates the chat: with keys, colours and streaming at a terminal, line by line otherwise (TERM-01). */
export function createConsole(options: ConsoleOptions): ConsoleChat {
  return options.isTty ? new TerminalConsole(options) : new PlainConsole(options)
}
