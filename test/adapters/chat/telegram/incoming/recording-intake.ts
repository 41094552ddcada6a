import type { Incoming, Intake, TapAnswer } from '../../../../../src/ports/chat.ts'

/** Stores by the platform's id, as the inbox does; can be away, for one conversation or for all. */
export class RecordingIntake implements Intake {
  readonly stored: Incoming[] = []
  /** Every call, also of what was stored before. */
  readonly taken: string[] = []
  away: (incoming: Incoming) => boolean = () => false
  /** What a row waits for before it is committed. */
  committing: (incoming: Incoming) => Promise<void> = () => Promise.resolve()
  /** Whether whoever did it may talk. */
  knows: (incoming: Incoming) => boolean = () => true
  answer: (incoming: Incoming) => Promise<TapAnswer | undefined> = () => Promise.resolve(undefined)

  async take(incoming: Incoming): ReturnType<Intake['take']> {
    this.taken.push(incoming.externalId)
    await this.committing(incoming)
    if (this.away(incoming)) throw new Error('connect ECONNREFUSED postgres://user:hunter2@db')
    if (!this.ids().includes(incoming.externalId)) this.stored.push(incoming)
    return { answer: this.answer(incoming), known: this.knows(incoming) }
  }

  ids(): readonly string[] {
    return this.stored.map(({ externalId }) => externalId)
  }
}
