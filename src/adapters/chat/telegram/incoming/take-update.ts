import type { Api } from 'grammy'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Incoming, Intake, TapAnswer } from '../../../../ports/chat.ts'
import { orTimeout } from '../../../../util/abort.ts'
import { assertNever } from '../../../../util/guards.ts'
import type { Log } from '../../../../util/log.ts'
import { shorten } from '../../../../util/text/shorten.ts'
import { createRecentKeys } from '../../incoming/recent-keys.ts'
import { withDeadline } from '../api.ts'
import { toApiFailure } from './api-failure.ts'
import { createOutageNotice } from './outage-notice.ts'
import type { ReadUpdate } from './to-incoming.ts'

const spinnerMs = 5_000

const deadlineMs = 10_000

const longestText = 200

type IncomingUpdate = Extract<ReadUpdate, { kind: 'incoming' }>

/** `done`: the platform may forget the update. `kept`: it was not stored, and the platform must deliver it again. */
type Taken = { readonly kind: 'done' } | { readonly kind: 'kept'; readonly why: string }

export interface UpdateTaker {
  /** Never rejects. */
  take(update: ReadUpdate): Promise<Taken>
  /** Tells the author that the update is not stored yet. */
  postpone(update: ReadUpdate): void
}

/** Time after which the database counts as unavailable. If it stores the update later, the id prevents a duplicate. */
const storeTimeoutMs = 30_000

const maxKnownPeople = 10_000

/** Hands updates to the intake, answers taps, and drops updates that are not for the bot. */
export function createUpdateTaker(options: {
  readonly api: Api
  readonly intake: Intake
  readonly messages: Messages
  readonly log: Log
}): UpdateTaker {
  const { api, intake, log } = options
  const { messageKept, tapKept } = options.messages.chat
  const notice = createOutageNotice(api, messageKept, log)
  const outageAnswer = { text: tapKept, alert: true }
  const replyTo = ({ callbackId }: Pick<IncomingUpdate, 'callbackId'>): TapReply | undefined =>
    callbackId === undefined ? undefined : createTapReply(api, log, callbackId)
  // Promise handling only to people whose last update was taken (CHAT-01).
  const known = createRecentKeys(maxKnownPeople)
  const notifyNotStored = (
    { incoming, updateId }: IncomingUpdate,
    reply: TapReply | undefined,
  ): void => {
    const isKnown = known.has(incoming.from.id) || intake.isListed?.(incoming.from) === true
    if (reply !== undefined) reply(isKnown ? outageAnswer : undefined)
    else if (isKnown && incoming.isPrivate) notice.notify(incoming.place, updateId)
  }
  const takeAct = async (update: IncomingUpdate): Promise<Taken> => {
    const { incoming } = update
    const reply = replyTo(update)
    try {
      const taking = intake.take(incoming)
      taking.then(({ answer }) => replyWith(answer, reply)).catch(() => undefined)
      const taken = await orTimeout(taking, storeTimeoutMs)
      if (taken.known === true) known.add(incoming.from.id)
      else if (!isOfAlbum(incoming)) known.forget(incoming.from.id)
      return { kind: 'done' }
    } catch (error) {
      notifyNotStored(update, reply)
      return { kind: 'kept', why: `not stored: ${errorName(error)}` }
    }
  }
  return {
    take: async (update) => {
      switch (update.kind) {
        case 'incoming':
          return takeAct(update)
        case 'ignored':
          if (update.ifAlbum !== undefined) return takeAct(update.ifAlbum)
          log.debug({ updateId: update.updateId, why: update.why }, 'telegram: update ignored')
          replyTo(update)?.(undefined)
          return { kind: 'done' }
        case 'malformed':
          log.warn(
            { updateId: update.updateId, why: update.why },
            'telegram: malformed update dropped',
          )
          return { kind: 'done' }
        default:
          return assertNever(update)
      }
    },
    postpone: (update) => {
      if (update.kind === 'incoming') notifyNotStored(update, replyTo(update))
    },
  }
}

/** A part of an album that turns out not to be for the bot says nothing about its sender. */
function isOfAlbum({ act }: Incoming): boolean {
  return act.kind === 'message' && act.ifAlbumTaken === true
}

async function replyWith(answer: Promise<TapAnswer | undefined>, reply?: TapReply): Promise<void> {
  const words = await answer.catch(() => undefined)
  reply?.(words)
}

/** Name and code of an error. Messages of a database may contain values. */
function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

/** Answers a tap with a text, or with none, which stops the button's spinner. Only the first call counts. */
type TapReply = (answer: TapAnswer | undefined) => void

/** Creates a reply that stops the spinner by itself after 5 s. */
function createTapReply(api: Api, log: Log, callbackId: string): TapReply {
  let isDone = false
  const reply: TapReply = (answer) => {
    clearTimeout(timer)
    if (!isDone) void send(api, log, callbackId, answer)
    isDone = true
  }
  const timer = setTimeout(reply, spinnerMs, undefined)
  timer.unref()
  return reply
}

async function send(api: Api, log: Log, callbackId: string, answer?: TapAnswer): Promise<void> {
  const words =
    answer === undefined
      ? {}
      : { text: shorten(answer.text, longestText), show_alert: answer.alert }
  try {
    await api.answerCallbackQuery(callbackId, words, withDeadline(deadlineMs))
  } catch (error) {
    // Common after an outage (“query is too old”). The card shows what happened (INT-17).
    log.debug({ why: toApiFailure(error).why }, 'telegram: failed to answer tap')
  }
}
