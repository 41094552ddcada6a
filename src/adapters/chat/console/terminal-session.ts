import type { BatchAnswer, BatchCard, Card, Decision } from '../../../domain/approval.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { CardKeys, KeyAnswer } from './card-keys.ts'
import type { ConsoleHandlers } from './console-chat.ts'

/** Operations of the terminal that a session needs. */
export interface SessionView {
  readonly messages: Messages
  readonly cards: CardKeys
  /** Prints the person's input. */
  echo(text: string): void
  /** Adds the input to the history. */
  remember(text: string): void
  /** Clears an unsent line; false if there was none. */
  dropLine(): boolean
  /** Prints a text of the product. */
  print(text: string): void
  /** Prints the details of a card, or the choices of *Always*. */
  show(asked: Extract<KeyAnswer, { readonly kind: 'details' | 'choice' }>): void
  changed(): void
}

/** Processes the lines and keys of a person, one after the other. */
export class TerminalSession {
  readonly #handlers: ConsoleHandlers
  readonly #view: SessionView
  readonly #over = Promise.withResolvers<void>()
  #work: Promise<void> = Promise.resolve()
  #denying: Card | undefined
  #interrupting = false
  #leaving = false

  constructor(handlers: ConsoleHandlers, view: SessionView) {
    this.#handlers = handlers
    this.#view = view
  }

  /** Settles when the person has left and all pending work is done. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  /** Whether the next line is the reason of a denial. */
  get denying(): boolean {
    return this.#denying !== undefined
  }

  get prompt(): string {
    const { reasonPrompt } = this.#view.messages.terminal
    return this.#denying === undefined ? '> ' : `${reasonPrompt} > `
  }

  submit(text: string, startedAt: number): void {
    if (this.#denying !== undefined) this.#deny(this.#denying, text.trim())
    else if (text.trim() !== '') this.#read(text, startedAt)
  }

  escape(): void {
    this.#denying = undefined
  }

  /**
   * Handles Ctrl-C: leaves the prompt for a reason, stops the turn, clears the line, or leaves; a second one meanwhile ends at
   * once.
   */
  interrupt(): void {
    if (this.#denying !== undefined) {
      this.#denying = undefined
    } else if (this.#interrupting || this.#leaving) {
      this.#over.resolve()
    } else {
      this.#interrupting = true
      this.#handlers
        .onInterrupt()
        .then((found) => {
          if (found === 'idle' && !this.#view.dropLine()) this.leave()
        })
        .catch((error: unknown) => this.#showError(error))
        .finally(() => {
          this.#interrupting = false
          this.#view.changed()
        })
    }
  }

  leave(): void {
    if (this.#leaving) return
    this.#leaving = true
    this.#work.then(() => this.#handlers.onEnd()).then(this.#over.resolve, this.#over.reject)
  }

  #read(text: string, startedAt: number): void {
    const answer = this.#view.cards.read(text, startedAt)
    if (answer.kind === 'unclear') this.#view.print(answer.why)
    else if (answer.kind === 'message') this.#send(text)
    else if (answer.kind === 'details' || answer.kind === 'choice') this.#view.show(answer)
    else if (answer.kind === 'batch') this.#answerAll(answer.batch, answer.action)
    else if (answer.decision.kind === 'deny') this.#denying = answer.card
    else this.#decide(answer.card, answer.decision)
  }

  /** Only a single line, seen before Enter, is a command; several lines are always a message (THREAT-24). */
  #send(text: string): void {
    this.#view.echo(text)
    this.#view.remember(text)
    const command = /^\s*!(.*)$/.exec(text)?.[1]?.trim()
    if (command === undefined || text.includes('\n'))
      this.#enqueue(() => this.#handlers.onLine(text))
    else if (command !== '') this.#enqueue(() => this.#handlers.onShell(command))
  }

  #deny(card: Card, reason: string): void {
    this.#denying = undefined
    this.#decide(card, reason === '' ? { kind: 'deny' } : { kind: 'deny', reason })
  }

  #decide(card: Card, decision: Decision): void {
    const { cards } = this.#view
    cards.close(card.approvalId)
    this.#view.echo(`${decisionText(this.#view.messages, decision)} ${card.number}`)
    this.#enqueue(async () => {
      const answer = await this.#handlers.onDecision(card.approvalId, decision).catch((error) => {
        cards.reopen(card.approvalId)
        throw error
      })
      if (answer === '') return
      cards.reopen(card.approvalId)
      this.#view.print(answer)
    })
  }

  #answerAll({ batchId }: BatchCard, action: BatchAnswer): void {
    const { cards, messages } = this.#view
    cards.close(batchId)
    this.#view.echo(messages.terminal.batchActions[action])
    this.#enqueue(async () => {
      await this.#handlers.onBatch(batchId, action).catch((error) => {
        cards.reopen(batchId)
        throw error
      })
    })
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.#showError(error))
      .then(() => this.#view.changed())
  }

  #showError(error: unknown): void {
    const { terminal } = this.#view.messages
    const why = error instanceof Error ? error.message : terminal.wrong
    this.#view.print(terminal.notTaken({ why }))
  }
}

function decisionText({ approvals, terminal }: Messages, decision: Decision): string {
  const life = decision.kind === 'always' ? decision.life : undefined
  if (life !== undefined) return terminal.approvedFor({ life: approvals.lives[life] })
  return terminal[decision.kind]
}
