import type { Delivery, FeedbackTokens, ReplyPath } from '../../../ports/chat.ts'
import type { Canvas } from '../render/canvas.ts'
import type { Button } from '../render/card-buttons.ts'
import type { RunningTurn } from '../render/draw-live.ts'
import type { Run } from '../render/runs/run.ts'

/** The platform asked to wait. `isOfMethod`: with calls of this kind, in whatever chat, and with no others. */
export type Busy = Extract<Delivery, { readonly kind: 'busy' }> & { readonly isOfMethod?: true }

/** A delivery that failed. */
export type Failed = Exclude<Delivery, { readonly kind: 'sent' | 'busy' }> | Busy

/** A button with the token that tapping it sends. */
export interface SentButton extends Button<string> {
  readonly token: string
}

/** TG-06: a button that puts a text where the person can paste it from. */
export interface CopyButton {
  readonly label: string
  readonly text: string
}

export interface SendOptions {
  /** Row by row. */
  readonly buttons?: readonly (readonly SentButton[])[]
  /** In a row of its own below them, where the platform has such. */
  readonly copy?: CopyButton
  /** Shows it to this caller alone, where the platform can and lets it; else, but by one that `hidesAll`, to everybody. */
  readonly onlyFor?: string
  /** Of the buttons by which people say what an answer was worth, where a platform has such. */
  readonly feedback?: FeedbackTokens
  readonly signal?: AbortSignal
}

/** Words of ours, and others' below them that show once a person opens them. */
export interface FoldedNotice {
  readonly words: readonly Run[]
  /** Stands where they are opened. */
  readonly summary: string
  readonly box: string
}

/** A file and the words beside it. */
export interface SentFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly caption: string
}

/** The chat that a place is in: its limits are shared by all that is in it. */
export interface Chat {
  readonly id: string
  /** Whether only one person and we are there. */
  readonly isPrivate: boolean
}

/** A turn as far as it has come, and where it is to show. */
export interface StreamedTurn {
  readonly place: string
  readonly turnId: string
  /** The passing message, where there is one already. */
  readonly messageId: string | undefined
  /** The caller id of whoever's turn it is, where it is known. */
  readonly askedBy: string | undefined
  readonly running: RunningTurn
  /** The buttons that belong below it: Stop, where there is one just now. */
  buttons(): Promise<Pick<SendOptions, 'buttons'>>
}

/**
 * What one platform does for what goes out; everything else about messages is the same on all of them. It tries each call
 * once, and rejects with the errors of the platform's client.
 */
export interface Messenger<Drawn> {
  /** As people know it. */
  readonly title: string
  readonly canvas: Canvas<Drawn>
  /** THREAT-6: what is for one caller is shown to nobody else, in however many messages; without, a long one is for all. */
  readonly hidesAll?: true
  /** Whether people can say below an answer what it was worth. */
  hasFeedback?(): boolean
  /** Undefined: there can be no such place. All else is asked only for places that there can be. */
  chatOf(place: string): Chat | undefined
  /** Answers the message's id. */
  send(place: string, drawn: Drawn, options?: SendOptions): Promise<string>
  /** TG-06: sends it as one message and answers its id; undefined: not here, or not so much. */
  sendFolded?(place: string, notice: FoldedNotice): Promise<string | undefined>
  /** Buttons that the options do not have are taken away. A message that reads so already is fine. */
  edit(place: string, messageId: string, drawn: Drawn, options?: SendOptions): Promise<void>
  /** Takes a message away; never rejects. */
  remove(place: string, messageId: string): Promise<void>
  /** Answers an id that tells it from other files and messages. */
  sendFile(place: string, file: SentFile): Promise<string>
  /** Shows for some seconds that something is being thought of, for a turn. */
  showTyping(place: string, signal: AbortSignal, turnId: string): Promise<void>
  /** Told that a lasting message went, where the platform shows whether something is under way. */
  settled?(place: string): void
  /** Shows words of a turn that go by themselves, where the platform has such; false: it has none here. */
  draft(place: string, turnId: string, drawn: Drawn, signal: AbortSignal): Promise<boolean>
  /**
   * Shows a turn in a message that grows, where the platform has such, and answers its id; undefined: it has none here, or
   * that one has ended, and is to be edited.
   */
  stream?(turn: StreamedTurn, signal: AbortSignal): Promise<string | undefined>
  /** Ends what grows; never rejects. */
  close?(): Promise<void>
  /**
   * Sends to whoever wrote, by the reply path that came with it, what was refused as we are not there; answers an id, or
   * undefined: it cannot go that way.
   */
  sendBack?(
    place: string,
    path: ReplyPath,
    drawn: Drawn,
    refusal: unknown,
  ): Promise<string | undefined>
  /** Whose fault a failed call is, and so what becomes of the message. Throws what is no error of the client. */
  toDelivery(error: unknown): Failed
}

/** What sending a message works with. */
export interface Sending<Drawn> {
  readonly messenger: Messenger<Drawn>
  /** Milliseconds since 1970. */
  readonly now: () => number
}
