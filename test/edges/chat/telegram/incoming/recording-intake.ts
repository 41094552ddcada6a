import type { Incoming, Intake, TapAnswer } from '../../../../../src/ports/chat.ts'

/** Stores by the platform's id, as the inbox does; can be away, for one conversation or for all. */
export class RecordingIntake implements Intake {
  readonly stored: Incoming[] = []
  /** Every call, also of what was stored before. */
  readonly taken: string[] = []
  away: (incoming: Incoming) => boolean = () => false
  /** What a row waits for before it is committed. */
  committing: (incoming: Incoming) => Promise<void> = () => Promise.resolve()
  answer: (incoming: Incoming) => Promise<TapAnswer | undefined> = () => Promise.resolve(undefined)

  async take(incoming: Incoming): Promise<{ readonly answer: Promise<TapAnswer | undefined> }> {
    this.taken.push(incoming.externalId)
    await this.committing(incoming)
    if (this.away(incoming)) throw new Error('connect ECONNREFUSED postgres://user:hunter2@db')
    if (!this.ids().includes(incoming.externalId)) this.stored.push(incoming)
    return { answer: this.answer(incoming) }
  }

  ids(): readonly string[] {
    return this.stored.map(({ externalId }) => externalId)
  }
}
