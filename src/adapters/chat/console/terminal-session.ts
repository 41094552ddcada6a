import type { Card, Decision } from '../../../domain/approval.ts'
import type { BatchAction, BatchCard } from '../../../domain/batch-card.ts'
import { grantWords } from '../../../domain/grant-life.ts'
import type { CardKeys } from './card-keys.ts'
import type { ConsoleHandlers } from './console-chat.ts'

/** What a session needs of the terminal around it. */
export interface SessionView {
  readonly cards: CardKeys
  /** Prints what the person wrote. */
  echo(text: string): void
  /** Keeps what the person wrote in the history. */
  remember(text: string): void
  /** Forgets a line that was not sent; false: there was none. */
  dropLine(): boolean
  /** Prints words of ours. */
  say(text: string): void
  changed(): void
}

/** What a person's lines and keys lead to, one after the other. */
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

  /** Settles when the person has left and everything they waited for is done. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  /** Whether the next line is the reason of a denial. */
  get denying(): boolean {
    return this.#denying !== undefined
  }

  get prompt(): string {
    return this.#denying === undefined ? '> ' : 'reason (Enter: none, Esc: back) > '
  }

  submit(text: string, begunAt: number): void {
    if (this.#denying !== undefined) this.#deny(this.#denying, text.trim())
    else if (text.trim() !== '') this.#read(text, begunAt)
  }

  escape(): void {
    this.#denying = undefined
  }

  /** Ctrl-C: out of a question for a reason, stops the turn, drops the line, or leaves; again meanwhile: ends at once. */
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
        .catch((error: unknown) => this.#complain(error))
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

  #read(text: string, begunAt: number): void {
    const meant = this.#view.cards.read(text, begunAt)
    if (meant.kind === 'unclear') this.#view.say(meant.why)
    else if (meant.kind === 'message') this.#send(text)
    else if (meant.kind === 'batch') this.#answerAll(meant.batch, meant.action)
    else if (meant.decision.kind === 'deny') this.#denying = meant.card
    else this.#decide(meant.card, meant.decision)
  }

  /** THREAT-24: only one line that was seen before Enter is a command; several lines are always words. */
  #send(text: string): void {
    this.#view.echo(text)
    this.#view.remember(text)
    const command = /^\s*!(.*)$/.exec(text)?.[1]?.trim()
    if (command === undefined || text.includes('\n')) this.#do(() => this.#handlers.onLine(text))
    else if (command !== '') this.#do(() => this.#handlers.onShell(command))
  }

  #deny(card: Card, reason: string): void {
    this.#denying = undefined
    this.#decide(card, reason === '' ? { kind: 'deny' } : { kind: 'deny', reason })
  }

  #decide(card: Card, decision: Decision): void {
    const { cards } = this.#view
    cards.close(card.approvalId)
    this.#view.echo(`${wordOf(decision)} ${card.number}`)
    this.#do(async () => {
      const answer = await this.#handlers.onDecision(card.approvalId, decision).catch((error) => {
        cards.reopen(card.approvalId)
        throw error
      })
      if (answer === '') return
      cards.reopen(card.approvalId)
      this.#view.say(answer)
    })
  }

  #answerAll({ batchId }: BatchCard, action: BatchAction): void {
    const { cards } = this.#view
    cards.close(batchId)
    this.#view.echo(batchWords[action])
    this.#do(async () => {
      await this.#handlers.onBatch(batchId, action).catch((error) => {
        cards.reopen(batchId)
        throw error
      })
    })
  }

  #do(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.#complain(error))
      .then(() => this.#view.changed())
  }

  #complain(error: unknown): void {
    const why = error instanceof Error ? error.message : 'something went wrong'
    this.#view.say(`That was not taken: ${why}`)
  }
}

const batchWords: Readonly<Record<BatchAction, string>> = {
  approve_all: 'approve all',
  review: 'one by one',
  deny_all: 'deny all',
}

function wordOf(decision: Decision): string {
  const life = decision.kind === 'always' ? decision.life : undefined
  return life === undefined ? decision.kind : `approve, ${grantWords[life]},`
}
