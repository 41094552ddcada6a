import { createInterface } from 'node:readline'
import type { Delivery, DeliveryContext, Outgoing } from '../../../ports/chat.ts'
import { newId } from '../../../util/new-id.ts'
import { createPaints } from '../render/paint.ts'
import type { ConsoleChat, ConsoleHandlers, ConsoleOptions } from './console-chat.ts'
import { present } from './present.ts'
import { TerminalConsole } from './terminal-console.ts'
import { ToldCards } from './told-cards.ts'
import { wholeBatch, wholeCard } from './whole-card.ts'

/** The chat without a terminal: a line in is a message, what is final comes out, nothing is styled or broken. */
class PlainConsole implements ConsoleChat {
  readonly name = 'console'
  readonly #options: ConsoleOptions
  readonly #told = new ToldCards()

  constructor(options: ConsoleOptions) {
    this.#options = options
  }

  async deliver(_place: string, given: Outgoing, context: DeliveryContext): Promise<Delivery> {
    const message = await wholeCard(given, context)
    const whole = await wholeBatch(given, context)
    const style = { paints: createPaints(false), columns: undefined, keys: false, rendered: false }
    const told = { told: this.#told, whole, now: Date.now() }
    const text = present(message, { ...style, ...told })
    if (text !== '') this.#options.output.write(`${text}\n`)
    return { kind: 'sent', messageId: newId() }
  }

  live(): void {
    // Without a terminal only what is final is printed.
  }

  /** Rejects with what a handler threw: a script must not go on as if it had been heard. */
  async run(handlers: ConsoleHandlers): Promise<void> {
    for await (const line of createInterface({ input: this.#options.input })) {
      if (line.trim() !== '') await handlers.onLine(line)
    }
    await handlers.onEnd()
  }
}

/** TERM-01: at a terminal with keys, colours and streaming, or line by line for scripts. */
export function createConsole(options: ConsoleOptions): ConsoleChat {
  return options.isTty ? new TerminalConsole(options) : new PlainConsole(options)
}
