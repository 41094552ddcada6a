import { destructiveEffects, type Effect } from './effect.ts'
import type { GrantEnd } from './grant-life.ts'
import type { Risk } from './verdict.ts'

/**
 * Answers to a batch card. `approve_all` and `deny_all` apply to every pending approval; `review` opens a card for each.
 */
export const batchAnswers = ['approve_all', 'review', 'deny_all'] as const

/** Button actions of a batch card; the others show and hide its details in place. */
export const batchActions = [...batchAnswers, 'details', 'back'] as const

/** Answers to the calls of one group on a batch card (CARD-04); the button's token names the group's first approval. */
export const groupAnswers = ['approve_group', 'deny_group'] as const

/** Rating of an answer by a person. */
export const feedbackVerdicts = ['good', 'bad'] as const

/** State of an approval. All but `pending` are final; `superseded` means that another approval replaced it. */
export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'granted'
  | 'superseded'

/** Decision of a person on an approval. `always` also adds the shown patterns as grants, which end as `life` says. */
export type Decision =
  | {
      readonly kind: 'approve'
      /** APPR-14: the approver wrote the arguments, so the card need not have been shown to them. */
      readonly isAuthor?: true
    }
  | { readonly kind: 'always'; readonly life?: GrantEnd | undefined }
  | {
      readonly kind: 'deny'
      readonly reason?: string | undefined
      /** TG-03: the denial waits up to 5 minutes for a reason, or until *Just deny* is tapped. */
      readonly mayExplain?: boolean | undefined
    }

/**
 * Action of a button on a card. `just_deny` ends the wait for a reason; after `edit` the next reply replaces the
 * arguments; a `GrantEnd` approves and adds a grant with that end. CARD-03: the views open and close in place and decide
 * nothing.
 */
export type CardAction = 'approve' | 'always' | GrantEnd | 'deny' | 'just_deny' | 'edit' | CardView

/** Buttons that change how a copy is shown: with its details, with the choices of *Always*, or as it was. */
export const cardViews = ['details', 'choice', 'back'] as const

export type CardView = (typeof cardViews)[number]

/** File that accompanies a card which does not fit into a message. It holds the whole text. */
export interface CardFile {
  /** Id of the row in `attachment`. */
  readonly id: string
  readonly name: string
  readonly bytes: number
  readonly lines: number
  /** Digest of the file's bytes, in hexadecimal. */
  readonly sha256: string
}

/** APPR-02: content of an approval card, independent of the platform; each adapter renders it. */
export interface Card {
  readonly approvalId: string
  /** Number of the approval within its session, which `/approve n` takes. */
  readonly number: number
  /** Id of the call; absent on cards stored by older versions. */
  readonly callId?: string
  readonly tool: string
  /** CARD-01: the call in words after “wants to”: `run a command`; absent on cards stored by older versions. */
  readonly does?: string
  /** CARD-01: name of the place where it would run, if it has one. */
  readonly where?: string
  /**
   * Full description of the call: the command, the path with a unified diff, or the URL, with invisible characters
   * made visible. If `file` is set, this and the lists below are excerpts, marked as such.
   */
  readonly what: string
  /** Language of `what` for its code block. Absent for plain text, and on cards from before this field. */
  readonly language?: string
  /** TG-06: command or path in a form that can be copied unchanged. */
  readonly copyable?: Copyable
  readonly file?: CardFile
  /** Its text is cut to one line; the file of its batch has all of it. */
  readonly isCut?: true
  /** True if the call exceeds the largest file. Nobody can review it in full, so it can only be denied. */
  readonly tooLarge?: true
  /** CARD-01: its consequences and hazards; absent on cards stored by older versions, which show `reasons` instead. */
  readonly effects?: readonly Effect[]
  /** Reasons why the gate asks, one line each, for the details. */
  readonly reasons: readonly string[]
  /** Rules that *Always* would add; empty if *Always* is not offered. */
  readonly alwaysPatterns: readonly string[]
  /**
   * CARD-03: *Always* would allow this very call alone, or a kind of calls that only read, build or test, so that one tap may
   * allow it; absent otherwise, and on cards stored by older versions.
   */
  readonly isAlwaysHarmless?: true
  readonly requestedBy: string
  readonly whoMayAnswer: string
  /** APPR-17: risk tier that selected the approvers; absent on cards stored by older versions. */
  readonly risk?: Risk
  /** Approvals given so far, if more than one person must approve. */
  readonly votes?: CardVotes
  /** ISO 8601. */
  readonly expiresAt: string
  /** CARD-07: earlier approvals of such calls, if the card proposes to allow them. */
  readonly habit?: Habit
  /** CARD-08: what happens when nobody answers; absent on cards stored by older versions. */
  readonly unanswered?: Unanswered
  /** Warning about the box (BOX-08). */
  readonly warning?: string
  /**
   * CHAT-08: number of messages that arrived while the approval was pending. They are kept for the model and do not
   * decide it.
   */
  readonly messagesKept?: number
  /** CARD-03: what this copy shows besides; never stored with the approval, so that any other change closes it. */
  readonly open?: 'details' | 'choice'
  readonly status: CardStatus
}

/** Calls like this one were approved so often since then, and not denied. */
export interface Habit {
  readonly times: number
  /** ISO 8601. */
  readonly since: string
}

/** What happens to an approval that nobody answers. */
export interface Unanswered {
  readonly action: 'deny' | 'wait' | 'stop'
  /** When the first deputy is asked, if any is named. ISO 8601. */
  readonly escalatesAt?: string
}

/** One line without hidden characters: copying yields what was read, and pasting it executes nothing. */
export interface Copyable {
  readonly kind: 'command' | 'path'
  readonly text: string
}

/** Approvals given, and the number of people who must approve. */
export interface CardVotes {
  readonly people: number
  /** Names with ISO 8601 times. */
  readonly by: readonly { readonly name: string; readonly at: string }[]
}

/** APPR-13: status line of a card. Only stored states are shown. */
export type CardStatus =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'approved'
      readonly by: string
      readonly at: string
      /** True if the calls of `alwaysPatterns` are allowed from now on. */
      readonly always: boolean
      /** End of the grant, if it has one. */
      readonly life?: GrantEnd
    }
  /** Allowed by an existing grant, which ends as `life` says. */
  | { readonly kind: 'granted'; readonly life?: GrantEnd }
  /** Denied; the person may still add a reason until `until`. */
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
  /** `by`: the name of whoever did it. */
  | { readonly kind: 'cancelled'; readonly why: string; readonly by?: string }
  | {
      readonly kind: 'running'
      readonly by: string
      readonly at?: string
      readonly life?: GrantEnd
    }
  | {
      readonly kind: 'finished'
      readonly by: string
      /** Time of the approval, ISO 8601. */
      readonly at?: string
      readonly life?: GrantEnd
      /** In words. */
      readonly outcome: string
      readonly isSuccess: boolean
      readonly durationMs: number
      /** CARD-05: last line of the output, with invisible characters made visible. */
      readonly lastLine?: string
    }

/** APPR-10, APPR-20: the approvals of one step on one card, independent of the platform; each adapter renders it. */
export interface BatchCard {
  readonly batchId: string
  /** At least one card, ordered by number, in its current state. If `file` is set, each card is shown as one line. */
  readonly cards: readonly Card[]
  /** Full text of all cards, if they do not fit into a message. */
  readonly file?: CardFile
  /** CARD-02: whether this copy shows the details; never stored with the batch. */
  readonly open?: 'details'
}

export type GroupAnswer = (typeof groupAnswers)[number]

export type BatchAnswer = (typeof batchAnswers)[number]

export type BatchAction = (typeof batchActions)[number]

/** Calls of a batch that are alike: they do the same, files in the same directory, and none is more dangerous than the others. */
export interface CardGroup {
  /** `A` to `Z` of a group of several calls; the number of the only call, without letter left also of the first one. */
  readonly name: string
  /** Directory of the files, if all are in one. */
  readonly where: string | undefined
  /** At least one, ordered by number. */
  readonly cards: readonly Card[]
}

/** CARD-04: the groups of a batch, in the order of their first calls. */
export function groupsOf(cards: readonly Card[]): readonly CardGroup[] {
  const groups = [...Map.groupBy(cards, groupKey).values()]
  const several = groups.filter(({ length }) => length > 1)
  return groups.map((members) => {
    const letter = members.length > 1 ? letters[several.indexOf(members)] : undefined
    const [first] = members
    return {
      name: letter ?? String(first?.number ?? ''),
      where: first === undefined ? undefined : directoryOf(first),
      cards: members,
    }
  })
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

function groupKey(card: Card): string {
  return JSON.stringify([card.does ?? card.tool, directoryOf(card), isDangerous(card)])
}

function directoryOf({ copyable }: Card): string | undefined {
  if (copyable?.kind !== 'path') return undefined
  const end = copyable.text.lastIndexOf('/')
  return end === -1 ? './' : copyable.text.slice(0, end + 1)
}

/** CARD-03: whether what a call does cannot be undone, its risk is high, or its card tells neither. */
export function isDangerous({ risk, effects }: Pick<Card, 'risk' | 'effects'>): boolean {
  if (risk === undefined && effects === undefined) return true
  return risk === 'high' || (effects ?? []).some(({ kind }) => destructiveEffects.has(kind))
}

/** Returns the cards whose approval is pending. */
export function pendingCards({ cards }: Pick<BatchCard, 'cards'>): readonly Card[] {
  return cards.filter(({ status }) => status.kind === 'waiting')
}

export type FeedbackVerdict = (typeof feedbackVerdicts)[number]

/** Action of a button whose token names an approval. */
export type ApprovalAction = CardAction | GroupAnswer

/** Action of a button: on a card, on a batch card or a group of it, revoking a grant, stopping a turn, or rating an answer. */
export type ButtonAction = ApprovalAction | BatchAction | 'revoke' | 'stop' | FeedbackVerdict
