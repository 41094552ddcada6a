import type {
  ApprovalAction,
  BatchAction,
  BatchCard,
  Card,
  CardFile,
  FeedbackVerdict,
} from '../domain/approval.ts'
import type { GrantRef } from '../domain/grant-life.ts'
import type { FileRefusal } from '../domain/messages/messages.ts'
import type { ActivityState } from '../domain/turn.ts'

/** Message to people, independent of the platform; each adapter renders it. */
export type Outgoing =
  /** Model answer in markdown. */
  | { readonly kind: 'answer'; readonly markdown: string; readonly turnId: string }
  /** Text of the model that accompanies calls which need approval, in markdown; not a final answer. */
  | { readonly kind: 'remark'; readonly markdown: string; readonly turnId: string }
  /** Notice or command output of the product, as plain text. `quoted` is text by others and is shown verbatim. */
  | {
      readonly kind: 'notice'
      readonly text: string
      readonly quoted?: string
      /** Full text, if `quoted` is an excerpt. */
      readonly file?: NoticeFile
      /** True if the stored text is erased once it was sent or given up. */
      readonly isSecret?: true
      /** Caller id of the only person concerned. Others may read it on platforms that cannot show a message to one person. */
      readonly onlyFor?: string
      /** Turn that this notice ends: its transient messages are no longer shown. */
      readonly endsTurn?: string
      /** Buttons below the notice, on platforms that have them. */
      readonly revokes?: readonly RevokeButton[]
    }
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'card_update'; readonly card: Card }
  | { readonly kind: 'batch'; readonly batch: BatchCard }
  | { readonly kind: 'batch_update'; readonly batch: BatchCard }

/** File attached to a notice; `about` completes “all of …”. */
export interface NoticeFile extends CardFile {
  readonly about: string
}

/** APPR-15: button that revokes a grant. */
export interface RevokeButton {
  readonly label: string
  readonly grant: GrantRef
}

/** Outcome of one delivery attempt. */
export type Delivery =
  /** `isCut`: the card was truncated, so nobody may approve it from this copy. */
  | { readonly kind: 'sent'; readonly messageId: string; readonly isCut?: boolean }
  /** The platform told us how long to wait; retried without limit. */
  | { readonly kind: 'busy'; readonly afterMs: number; readonly why: string }
  /** No answer, or one unrelated to the message; retried with growing delays for a day. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Final: the message becomes a dead letter and the conversation continues. `isGone`: the message to edit no longer exists. */
  | { readonly kind: 'refused'; readonly why: string; readonly isGone?: boolean }
  /** The chat and its topics have a new address from now on. */
  | { readonly kind: 'moved'; readonly place: string }

/** Button tokens below an answer. */
export type FeedbackTokens = Readonly<Record<FeedbackVerdict, string>>

/** Way to reach one caller, as received in `Incoming.replyPath`. */
export interface ReplyPath {
  readonly sealed: string
  readonly callerId: string
}

/** Services for delivering one message. */
export interface DeliveryContext {
  /** Platform's id of the message to edit. */
  readonly editOf?: string
  /** Transient message that showed the progress of this turn; the answer replaces it. */
  readonly liveMessageId?: string
  /** Ids of the parts that earlier attempts sent, in order. */
  readonly sentParts: readonly string[]
  /** Records that the next part, or the next `count` parts in one message, were sent. Await it before sending the part after. */
  onPart(messageId: string, count?: number): Promise<void>
  /** Creates and stores a token for each button: 22 characters of base64url, valid for this card and conversation. */
  mintTokens<Action extends ApprovalAction>(
    approvalId: string,
    actions: readonly Action[],
  ): Promise<Readonly<Record<Action, string>>>
  /** Creates tokens for the buttons of a batch card. */
  mintBatchTokens(
    batchId: string,
    actions: readonly BatchAction[],
  ): Promise<Readonly<Record<BatchAction, string>>>
  /** Creates tokens for revoke buttons, in the order of `grants`. */
  mintRevokeTokens(grants: readonly GrantRef[]): Promise<readonly string[]>
  /** Returns the way to reach the caller whom this message answers; undefined if it expired or the message answers nobody. */
  replyPath?(): Promise<ReplyPath | undefined>
  /** Creates tokens for the rating buttons of a turn's answer. */
  mintFeedbackTokens(turnId: string): Promise<FeedbackTokens>
  /** Returns the bytes of an attachment, at most 20 MB. */
  readAttachment(id: string): Promise<Uint8Array>
}

/** Progress of a running turn; events may be lost. */
export type LiveEvent =
  | {
      readonly kind: 'text'
      readonly turnId: string
      readonly epoch: number
      /** UTF-16 code units of this step's text sent before. An event that does not continue from there follows a gap. */
      readonly offset: number
      readonly text: string
    }
  | {
      readonly kind: 'progress'
      readonly turnId: string
      readonly epoch: number
      readonly callId: string
      readonly tool: string
      readonly text: string
      readonly elapsedMs: number
    }
  | { readonly kind: 'thinking'; readonly turnId: string; readonly epoch: number }

/** Subject of a transient message, which is removed once the subject is over or only waits for people. */
export type LiveSubject =
  | { readonly kind: 'turn'; readonly turnId: string; readonly epoch: number }
  | { readonly kind: 'card'; readonly approvalId: string }

/**
 * Lets an adapter edit transient messages without interfering with durable ones: `show` runs while no gateway sends
 * anything else in the conversation.
 */
export interface TransientMessageLock {
  /**
   * Calls `show`, which may take 7 s, with the id of the conversation's transient message, if any; it returns the id
   * of the current one. `mintStop` creates and stores the token of a stop button. Returns false without calling
   * `show` if a durable message goes first, or the subject is over or waits for people.
   */
  hold(
    place: string,
    about: LiveSubject,
    show: (
      messageId: string | undefined,
      mintStop: () => Promise<string>,
    ) => Promise<string | undefined>,
  ): Promise<boolean>
}

/** Current activity of conversations, for platforms that display it continuously. */
export interface ActivityReader {
  /** Returns the state of the turns at each address. */
  statesOf(places: readonly string[]): Promise<ReadonlyMap<string, ActivityState>>
  /**
   * Returns addresses whose last turn ended less than `ms` milliseconds ago and that have no live turn: some dozens
   * at most, latest first.
   */
  endedWithin(ms: number): Promise<readonly string[]>
}

/** Chat platform, as the gateway drives it. */
export interface ChatPlatform {
  readonly name: string
  /** Delivers a message to the conversation at this address. */
  deliver(place: string, message: Outgoing, context: DeliveryContext): Promise<Delivery>
  /** Removes the transient message of a conversation, as far as possible. Failures are ignored. */
  retract?(place: string, messageId: string): Promise<void>
  /** `askedBy`: caller id of the person whose turn it is. */
  live(place: string, event: LiveEvent, askedBy?: string): void
  /** Fetches a file that a person sent, up to `maxBytes`, within a minute or until `signal` aborts. Never rejects. */
  fetchFile?(
    reference: string,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<FetchedFile>
}

/** Act of a person on a platform, as its adapter reports it. */
export interface Incoming {
  readonly platform: string
  /** Platform's id of the update, used for deduplication. */
  readonly externalId: string
  /** Address of the conversation on the platform: `<chat>` or `<chat>/<topic>`. */
  readonly place: string
  /** True if the conversation has only this person and the bot. */
  readonly isPrivate: boolean
  readonly from: Person
  readonly act: IncomingAct
  /**
   * Temporary way to answer only this person in conversations that the bot has not joined. Opaque outside the
   * adapter, which encrypts its secrets.
   */
  readonly replyPath?: { readonly sealed: string; readonly forMs: number }
}

/** Author of an act, as vouched for by the platform; never someone who hides behind a channel, a group or a bot. */
export interface Person {
  /** Caller id, such as `telegram:42`. */
  readonly id: string
  readonly name: string
  /** Username without `@`. */
  readonly username?: string
  /** Address of the private chat with this person. */
  readonly privatePlace?: string
}

/** Act of a person: a message, a tap on a button, or a request to stop. */
export type IncomingAct =
  /**
   * `replyTo`: id of the message replied to. `unread`: an attachment that is not supported; only with it or with
   * `files` may `text` be empty. `album`: messages of one person with the same album are one message. `ifAlbumTaken`:
   * not addressed to the bot, and accepted only if another message of its album was accepted from that person in that
   * conversation.
   */
  | {
      readonly kind: 'message'
      readonly text: string
      readonly replyTo?: string
      readonly unread?: 'file'
      readonly files?: readonly IncomingFile[]
      readonly album?: string
      readonly ifAlbumTaken?: true
    }
  /** Token of a button, and the id of the message below which it is shown. */
  | {
      readonly kind: 'tap'
      readonly token: string
      readonly messageId: string
      /**
       * True if the platform confirms that the message has this button, since a client can claim any; absent if the
       * platform does not say.
       */
      readonly isThere?: boolean
      /** Text entered into the form that the button opened; empty if none was. */
      readonly written?: string
    }
  /**
   * LOOP-14: stop request by a control of the platform itself; our own stop button is a tap. `turnNumber`: turn that
   * the control was shown with, if known; `pressedAt`: milliseconds since 1970 by the platform's clock.
   */
  | { readonly kind: 'stop'; readonly turnNumber?: number; readonly pressedAt?: number }

/** File that a person sent, as described by the platform; its content is not fetched yet. */
export interface IncomingFile {
  /** Sender's file name, or one made of its type and time. */
  readonly name: string
  readonly mediaType?: string
  /** Size reported by the platform. */
  readonly bytes?: number
  /**
   * Key by which the platform's adapter fetches the file, also later and in another process; at most 4,000
   * characters, without secrets.
   */
  readonly reference: string
}

/** Result of fetching a file. */
export type FetchedFile =
  /** `name` and `mediaType` are set if they became known only now. */
  | {
      readonly kind: 'fetched'
      readonly content: Buffer
      readonly name?: string
      readonly mediaType?: string
    }
  | { readonly kind: 'too_large' }
  /** The platform told us how long to wait, at most a minute. */
  | { readonly kind: 'busy'; readonly afterMs: number }
  /** Retried with growing delays. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Final. */
  | { readonly kind: 'refused'; readonly why: FileRefusal }

/** Form that a button opens before it acts, on platforms that have forms; `about` names the approval. */
export type TapForm =
  /** APPR-14: new arguments, prefilled with the present ones. */
  | { readonly kind: 'edit'; readonly number: number; readonly present: string }
  /** TG-03, SLACK-02: optional reason for a denial. */
  | { readonly kind: 'reason'; readonly number: number }

/** Reply to the person who tapped; `alert`: nothing was done. */
export interface TapAnswer {
  readonly text: string
  readonly alert: boolean
}

/** Entry point for acts of people. */
export interface Intake {
  /**
   * Resolves once the act is stored, so that the update may be confirmed to the platform; rejects if it could not be
   * stored. `answer` resolves when a tap was handled, with undefined if there is nothing to say. `known`: the person
   * may use the bot and a row was stored.
   */
  take(incoming: Incoming): Promise<{
    readonly answer: Promise<TapAnswer | undefined>
    readonly known?: boolean
  }>
  /** Returns the form that a tap opens first; undefined if it needs none. Does not change the approval. */
  formOf?(incoming: Incoming): Promise<TapForm | undefined>
  /** True if the configuration admits this person, even while the database is unavailable. */
  isListed?(from: Person): boolean
}
