import type { GrantEnd } from './grant-life.ts'
import type { Risk } from './risk.ts'

/** Where a question to people stands. All but `pending` are for good; `superseded`: another one took its place. */
export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'granted'
  | 'superseded'

/** What a person does with a card. `always` approves and adds the shown patterns as grants, with an end if `life` names one. */
export type Decision =
  | {
      readonly kind: 'approve'
      /** APPR-14: it is what they wrote themselves, so that it need not have been shown to them. */
      readonly isAuthor?: true
    }
  | { readonly kind: 'always'; readonly life?: GrantEnd | undefined }
  | {
      readonly kind: 'deny'
      readonly reason?: string | undefined
      /** TG-03: the reason may follow within 5 minutes; until then, or until *Just deny*, the call waits for it. */
      readonly mayExplain?: boolean | undefined
    }

/** What a button of a card does. `just_deny` ends the wait for a reason; after `edit` a reply says what the call should be; an end approves and grants until then. */
export type CardAction = 'approve' | 'always' | GrantEnd | 'deny' | 'just_deny' | 'edit'

/** What did not fit on a card and goes with it as a file: the whole of it, never a part. */
export interface CardFile {
  /** Of the row in `attachment`. */
  readonly id: string
  readonly name: string
  readonly bytes: number
  readonly lines: number
  /** Of the file's bytes, hexadecimal. */
  readonly sha256: string
}

/** APPR-02: everything a card shows, platform-neutral; each adapter renders it. */
export interface Card {
  readonly approvalId: string
  /** The number within the session that `/approve n` takes. */
  readonly number: number
  /** Of the call that it asks about; absent on cards from before they told it. */
  readonly callId?: string
  readonly tool: string
  /**
   * The whole of what will happen: command, path with unified diff, URL. Invisible characters made visible. With a
   * `file`, this and the lists below are excerpts that say so, and the file holds all of it.
   */
  readonly what: string
  /** TG-06: the command or path of it, where a person can take it along as it is. */
  readonly copyable?: Copyable
  readonly file?: CardFile
  /** It is larger than a file may be: nobody can see it whole, so that it can only be denied. */
  readonly tooLarge?: true
  /** Why it asks, one line each. */
  readonly reasons: readonly string[]
  /** What *Always* would allow; empty: not offered. */
  readonly alwaysPatterns: readonly string[]
  readonly requestedBy: string
  readonly whoMayAnswer: string
  /** APPR-17: the tier that decided who may; absent on cards from before there were any. */
  readonly risk?: Risk
  /** Who has approved so far, where more than one person must. */
  readonly votes?: CardVotes
  /** ISO 8601. */
  readonly expiresAt: string
  /** Words about the box that the person must know (BOX-08), if any. */
  readonly warning?: string
  /** CHAT-08: messages that came while it waits; they are guidance, it still waits. */
  readonly messagesKept?: number
  readonly status: CardStatus
}

/** One line in which nothing is hidden: what is copied is what was read, and pasting it runs nothing. */
export interface Copyable {
  readonly kind: 'command' | 'path'
  readonly text: string
}

/** Approvals that count, and how many people must approve. */
export interface CardVotes {
  readonly people: number
  /** Names, and ISO 8601 times. */
  readonly by: readonly { readonly name: string; readonly at: string }[]
}

/** APPR-13: the card's one line of truth. Only stored states are ever shown. */
export type CardStatus =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'approved'
      readonly by: string
      readonly at: string
      /** Whether what `alwaysPatterns` names is allowed from now on. */
      readonly always: boolean
      /** Or until when it is. */
      readonly life?: GrantEnd
    }
  /** A grant allowed it, `life` if that has an end. */
  | { readonly kind: 'granted'; readonly life?: GrantEnd }
  /** Denied; whoever denied it may still reply with a reason until `until`. */
  | {
      readonly kind: 'denying'
      readonly by: string
      readonly at: string
      readonly until: string
    }
  | {
      readonly kind: 'denied'
      readonly by: string
      readonly at: string
      readonly reason?: string | undefined
    }
  | { readonly kind: 'expired'; readonly at: string }
  | { readonly kind: 'cancelled'; readonly why: string }
  | {
      readonly kind: 'running'
      readonly by: string
      readonly at?: string
      readonly life?: GrantEnd
    }
  | {
      readonly kind: 'finished'
      readonly by: string
      /** When it was approved. */
      readonly at?: string
      readonly life?: GrantEnd
      readonly outcome: string
      readonly durationMs: number
    }
