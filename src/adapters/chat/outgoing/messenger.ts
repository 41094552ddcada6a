import type { Delivery, FeedbackTokens, ReplyPath } from '../../../ports/chat.ts'
import type { Canvas } from '../render/canvas.ts'
import type { Button } from '../render/card-buttons.ts'
import type { RunningTurn } from '../render/draw-live.ts'
import type { Run } from '../render/runs/run.ts'

/** A request of the platform to wait. `isOfMethod`: it concerns calls of this kind in all chats, and no others. */
export type Busy = Extract<Delivery, { readonly kind: 'busy' }> & { readonly isOfMethod?: true }

/** A failed delivery. */
export type Failed = Exclude<Delivery, { readonly kind: 'sent' | 'busy' }> | Busy

/** A button and the token that a tap sends. */
export interface SentButton extends Button<string> {
  readonly token: string
}

/** A button that copies a text to the clipboard (TG-06). */
export interface CopyButton {
  readonly label: string
  readonly text: string
}

export interface SendOptions {
  /** Rows of buttons. */
  readonly buttons?: readonly (readonly SentButton[])[]
  /** Copy button in the second row (CARD-03), if the platform supports it. */
  readonly copy?: CopyButton
  /**
   * Caller who alone sees the message, if the platform supports it and permits it; otherwise everyone sees it, except on a
   * platform with `hidesAll`.
   */
  readonly onlyFor?: string
  /** Tokens of the rating buttons, if the platform has them. */
  readonly feedback?: FeedbackTokens
  readonly signal?: AbortSignal
}

/** Text of the product with foreign text below, which a person can unfold. */
export interface FoldedNotice {
  readonly words: readonly Run[]
  /** Label of the folded part. */
  readonly summary: string
  readonly box: string
}

/** A file and its caption. */
export interface SentFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly caption: string
}

/** The chat of an address; rate limits apply per chat. */
export interface Chat {
  readonly id: string
  /** Whether the chat is with a single person. */
  readonly isPrivate: boolean
}

/** Current state of a turn, and where to show it. */
export interface StreamedTurn {
  readonly place: string
  readonly turnId: string
  /** Id of the transient message, if it exists. */
  readonly messageId: string | undefined
  /** Caller id of the turn's owner, if known. */
  readonly askedBy: string | undefined
  readonly running: RunningTurn
  /** Buttons below it: Stop, if available at the moment. */
  buttons(): Promise<Pick<SendOptions, 'buttons'>>
}

/** A chat, and the connection by which it is written to. */
export interface Target<Drawn> {
  readonly messenger: Messenger<Drawn>
  readonly place: string
}

/**
 * The platform-specific part of sending messages. Each call is tried once and rejects with the errors of the platform's client.
 */
export interface Messenger<Drawn> {
  /** Name of the platform, as people know it. */
  readonly title: string
  readonly canvas: Canvas<Drawn>
  /** Messages for one caller are reliably hidden from others, in any number (THREAT-6); without it, long ones go to everyone. */
  readonly hidesAll?: true
  /** Whether answers can be rated by buttons. */
  hasFeedback?(): boolean
  /** The chat of an address; undefined if the address is invalid. All other methods require a valid address. */
  chatOf(place: string): Chat | undefined
  /** Returns the message id. */
  send(place: string, drawn: Drawn, options?: SendOptions): Promise<string>
  /** Sends a notice as one folded message and returns its id (TG-06); undefined if that is not possible. */
  sendFolded?(place: string, notice: FoldedNotice): Promise<string | undefined>
  /** Edits a message. Buttons missing in the options are removed; an edit without a change succeeds. */
  edit(place: string, messageId: string, drawn: Drawn, options?: SendOptions): Promise<void>
  /** Deletes a message; never rejects. */
  remove(place: string, messageId: string): Promise<void>
  /** Returns a unique id. */
  sendFile(place: string, file: SentFile): Promise<string>
  /** Shows a typing indicator for some seconds. */
  showTyping(place: string, signal: AbortSignal, turnId: string): Promise<void>
  /** Called after a durable message, on platforms that show whether a turn is running. */
  settled?(place: string): void
  /** Shows text of a turn that disappears by itself; false if drafts are not supported here. */
  draft(place: string, turnId: string, drawn: Drawn, signal: AbortSignal): Promise<boolean>
  /**
   * Streams a turn into a growing message and returns its id; undefined if streaming is not supported here, or has ended and
   * the message is to be edited.
   */
  stream?(turn: StreamedTurn, signal: AbortSignal): Promise<string | undefined>
  /** Ends open streams; never rejects. */
  close?(): Promise<void>
  /** Sends a message that was refused by the reply path of the command; returns an id, or undefined if that is not possible. */
  sendBack?(
    place: string,
    path: ReplyPath,
    drawn: Drawn,
    refusal: unknown,
  ): Promise<string | undefined>
  /** Classifies the error of a call. Rethrows errors that are not from the client. */
  toDelivery(error: unknown): Failed
}

/** Dependencies of sending a message. */
export interface Sending<Drawn> {
  readonly messenger: Messenger<Drawn>
  /** Milliseconds since 1970. */
  readonly now: () => number
}
