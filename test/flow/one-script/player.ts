import type { Flow } from '../../support/flow.ts'
import type { Scenes } from '../telegram/scenes.ts'
import type { Answer } from './script.ts'

/** A person on one platform, who does by its own means what a script says. The product behind it is a whole one. */
export interface Player extends AsyncDisposable {
  readonly platform: string
  readonly flow: Flow
  readonly scenes: Scenes
  /** The caller that the person is here. */
  readonly callerId: string
  /** The conversation's place on the platform. */
  readonly place: string
  /** Whether these words answer a command that is a button elsewhere, where whoever taps is told otherwise. */
  standsForTap(text: string): boolean
  /** From here on only what comes anew is seen. */
  lookAway(): void
  /** Writes a message or a slash command. */
  say(text: string): void
  answer(number: number, answer: Answer): Promise<void>
  answerAll(how: 'approve' | 'deny'): Promise<void>
  /** All that is to be read now, in order. */
  read(): string
  /** The newest card of a question, as it is now; undefined: none is shown. */
  card(number: number): string | undefined
  /** What a file of this name holds; undefined: it has not come. */
  file(name: string): string | undefined
}

/** The name that the person has everywhere. */
export const personName = 'rosa'
