import type { Card, CardAction, CardFile } from '../domain/approval.ts'
import type { BatchAction, BatchCard } from '../domain/batch-card.ts'
import type { FeedbackVerdict } from '../domain/button-action.ts'
import type { GrantRef } from '../domain/grant-life.ts'
import type { PlaceState } from '../domain/turn.ts'

/** A message to people, platform-neutral; each adapter renders it. */
export type Outgoing =
  /** A model's answer, in markdown. */
  | { readonly kind: 'answer'; readonly markdown: string; readonly turnId: string }
  /** What the model says beside calls that ask, in markdown; no final answer. */
  | { readonly kind: 'remark'; readonly markdown: string; readonly turnId: string }
  /** Words of the product itself: notices, answers of slash commands. Plain text; `quoted` is others', shown as it is. */
  | {
      readonly kind: 'notice'
      readonly text: string
      readonly quoted?: string
      /** All of it, where `quoted` is an excerpt. */
      readonly file?: NoticeFile
      /** Its words are forgotten here once they were sent, or were given up. */
      readonly isSecret?: true
      /** Concerns nobody but this caller where others read too; they may read it on platforms that cannot show it to one. */
      readonly onlyFor?: string
      /** The turn that ended with it: nothing passing of that turn shows from now on. */
      readonly endsTurn?: string
      /** Buttons below it, where a platform has them. */
      readonly revokes?: readonly RevokeButton[]
    }
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'card_update'; readonly card: Card }
  | { readonly kind: 'batch'; readonly batch: BatchCard }
  | { readonly kind: 'batch_update'; readonly batch: BatchCard }

/** A file that goes behind a notice; `about` completes “all of …”. */
export interface NoticeFile extends CardFile {
  readonly about: string
}

/** APPR-15: a button that takes a grant back. */
export interface RevokeButton {
  readonly label: string
  readonly grant: GrantRef
}

/** Outcome of one delivery. */
export type Delivery =
  /** `isCut`: a card of which not all could be shown; nobody may approve it by this copy. */
  | { readonly kind: 'sent'; readonly messageId: string; readonly isCut?: boolean }
  /** The platform named the time to wait; as often as it likes. */
  | { readonly kind: 'busy'; readonly afterMs: number; readonly why: string }
  /** No answer, or one that says nothing about the message: tried again, ever more slowly, for a day. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Final: it becomes a dead letter and the conversation goes on. `isGone`: what was to be edited is not there any more. */
  | { readonly kind: 'refused'; readonly why: string; readonly isGone?: boolean }
  /** The chat has another place from now on, and so have its topics. */
  | { readonly kind: 'moved'; readonly place: string }

/** The token of each button below an answer. */
export type FeedbackTokens = Readonly<Record<FeedbackVerdict, string>>

/** A way to one caller, as `Incoming.replyPath` had it from them. */
export interface ReplyPath {
  readonly sealed: string
  readonly callerId: string
}

/** What delivering one message may use. */
export interface DeliveryContext {
  /** The platform's id of the message to change, for an edit. */
  readonly editOf?: string
  /** The passing message that showed this turn as it went: the answer takes its place. */
  readonly liveMessageId?: string
  /** Ids of the parts that an earlier try sent, in order. */
  readonly sentParts: readonly string[]
  /** Stores that the next part went, or the next `count` in one message. Await it before the part after. */
  onPart(messageId: string, count?: number): Promise<void>
  /** Makes a token for each button and stores it before it is shown; 22 characters of base64url, good for this card and conversation. */
  mintTokens<Action extends CardAction>(
    approvalId: string,
    actions: readonly Action[],
  ): Promise<Readonly<Record<Action, string>>>
  /** The same for the buttons of a card for several questions. */
  mintBatchTokens(
    batchId: string,
    actions: readonly BatchAction[],
  ): Promise<Readonly<Record<BatchAction, string>>>
  /** The same for buttons that take a grant back each, in their order. */
  mintRevokeTokens(grants: readonly GrantRef[]): Promise<readonly string[]>
  /** How whoever this answers is reached where we are not, as `Incoming.replyPath` had it; undefined: not any more, or it answers nobody. */
  replyPath?(): Promise<ReplyPath | undefined>
  /** The same for the buttons by which people say what a turn's answer was worth. */
  mintFeedbackTokens(turnId: string): Promise<FeedbackTokens>
  /** The bytes of an attachment, at most 20 MB. */
  readAttachment(id: string): Promise<Uint8Array>
}

/** Something new that shows while a turn runs; may be lost. */
export type LiveEvent =
  | {
      readonly kind: 'text'
      readonly turnId: string
      readonly epoch: number
      /** How much of this step's text was said before, in UTF-16 units: what does not go on from there has a gap before it. */
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

/** What a passing message is about; once that is over, or all that is left of it waits for people, nothing passing shows. */
export type LiveSubject =
  | { readonly kind: 'turn'; readonly turnId: string; readonly epoch: number }
  | { readonly kind: 'card'; readonly approvalId: string }

/**
 * How an adapter that edits messages shows something passing without getting in the way of what is durable: `show` runs
 * while nothing else is sent in the conversation, by any gateway.
 */
export interface TransientMessageLock {
  /**
   * `show` may take 7 s. It is given the id of the conversation's passing message, if there is one, and answers the one it has then;
   * `mintStop` makes and stores the token of a button that ends the turn. False, and `show` did not run: something durable goes
   * first, or the subject is over or waits for people.
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

/** What is under way where, for a platform that shows it and keeps showing what it was told. */
export interface UnderWay {
  /** What the turns of each of these places are at. */
  statesOf(places: readonly string[]): Promise<ReadonlyMap<string, PlaceState>>
  /** Places in which a turn ended less than so many milliseconds ago and none is live; some dozens at most, the last first. */
  endedWithin(ms: number): Promise<readonly string[]>
}

/** One chat platform, as the gateway drives it. */
export interface ChatPlatform {
  readonly name: string
  /** Delivers to the conversation at this place of the platform. */
  deliver(place: string, message: Outgoing, context: DeliveryContext): Promise<Delivery>
  /** Takes away the passing message of a conversation; whether it worked is nobody's concern. */
  retract?(place: string, messageId: string): Promise<void>
  /** `askedBy`: the caller id of whoever's turn it is. */
  live(place: string, event: LiveEvent, askedBy?: string): void
  /** Fetches a file that somebody sent, and no more of it than `maxBytes`; within a minute, or `signal` ends it. Never rejects. */
  fetchFile?(
    reference: string,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<FetchedFile>
}

/** What a person did on a platform, as its adapter hands it over. */
export interface Incoming {
  readonly platform: string
  /** The platform's own id of the update: the key of de-duplication. */
  readonly externalId: string
  /** The conversation on the platform: `<chat>` or `<chat>/<topic>`. */
  readonly place: string
  /** Whether only this person and we are there. */
  readonly isPrivate: boolean
  readonly from: Person
  readonly act: IncomingAct
  /** How they, and nobody else there, are answered where we may not be, for a while: opaque to everybody but the adapter, which seals what is secret. */
  readonly replyPath?: { readonly sealed: string; readonly forMs: number }
}

/** Whoever did it, as the platform vouches for: never somebody who hides behind a channel, a group or a bot. */
export interface Person {
  /** A caller id, such as `telegram:42`. */
  readonly id: string
  readonly name: string
  /** Without `@`. */
  readonly username?: string
  /** Where they alone are reached. */
  readonly privatePlace?: string
}

/** What they did: wrote something, tapped a button, or asked to stop. */
export type IncomingAct =
  /**
   * `replyTo` is the id of the message that was replied to. `unread`: what came with it and is not taken; only then, or with `files`, may
   * `text` be empty. `album`: messages of one person with the same are one. `ifAlbumTaken`: nobody said this one to us, and it is ours only
   * where another of its album was taken from them in the same place.
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
  /** A button, and the id of the message below which it is. */
  | {
      readonly kind: 'tap'
      readonly token: string
      readonly messageId: string
      /** Whether the platform shows that button below that message: a client can claim any. Absent: it did not say. */
      readonly isThere?: boolean
      /** What was written into the form that the button opened; empty: nothing was. */
      readonly written?: string
    }
  /**
   * LOOP-14: by the platform's own means to stop what runs in a conversation. A button of ours is a tap. `turnNumber`: of the turn
   * that it was shown with, where the platform says; `pressedAt`: when, in milliseconds since 1970 by the platform's clock.
   */
  | { readonly kind: 'stop'; readonly turnNumber?: number; readonly pressedAt?: number }

/** A file that somebody sent, as its platform tells of it; none of it is fetched yet. */
export interface IncomingFile {
  /** Whatever its sender called it, or a name by its kind and time. */
  readonly name: string
  readonly mediaType?: string
  /** As the platform says. */
  readonly bytes?: number
  /** By which its platform's adapter can fetch it, also later and in another process; at most 4,000 characters, and no secret. */
  readonly reference: string
}

/** What came of fetching a file. */
export type FetchedFile =
  /** `name` and `mediaType` where they are known only now. */
  | {
      readonly kind: 'fetched'
      readonly content: Buffer
      readonly name?: string
      readonly mediaType?: string
    }
  | { readonly kind: 'too_large' }
  /** The platform named the time to wait, at most a minute. */
  | { readonly kind: 'busy'; readonly afterMs: number }
  /** Tried again, ever more slowly. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Final; `why` completes “was not taken:” for the person. */
  | { readonly kind: 'refused'; readonly why: string }

/** What a button asks for before it does anything, where the platform has forms; `about` names the question. */
export type TapForm =
  /** APPR-14: what the call should be, from what it is. */
  | { readonly kind: 'edit'; readonly about: string; readonly present: string }
  /** TG-03, SLACK-02: why it is denied, which may be left out. */
  | { readonly kind: 'reason'; readonly about: string }

/** Words for whoever tapped; `alert`: that nothing was done. */
export interface TapAnswer {
  readonly text: string
  readonly alert: boolean
}

/** Where adapters hand over what people did. */
export interface Intake {
  /**
   * Resolves when it is stored, so that it may be confirmed to the platform; rejects when it could not be. A tap's
   * `answer` comes when it was handled; undefined: nothing to say. `known`: it is of somebody who may talk, and got a row.
   */
  take(incoming: Incoming): Promise<{
    readonly answer: Promise<TapAnswer | undefined>
    readonly known?: boolean
  }>
  /** The form that a tap opens first, on a platform that has any; undefined: none, the tap is to be taken as it is. Changes nothing of the question. */
  formOf?(incoming: Incoming): Promise<TapForm | undefined>
  /** Whether somebody is let in whatever the database says, which may be away. */
  isListed?(from: Person): boolean
}
