import type { Api } from 'grammy'
import type { Incoming, Intake, TapAnswer } from '../../../../ports/chat.ts'
import { orTimeout } from '../../../../util/abort.ts'
import { assertNever } from '../../../../util/assert-never.ts'
import type { Log } from '../../../../util/log.ts'
import { createRecentKeys } from '../../incoming/recent-keys.ts'
import { createAwayNotice } from './away-notice.ts'
import { createTapReply, type TapReply } from './tap-reply.ts'
import type { ReadUpdate } from './to-incoming.ts'

type Act = Extract<ReadUpdate, { kind: 'incoming' }>

/** `done`: the platform may forget it. `kept`: it is not stored, the platform must bring it again. */
export type Taken = { readonly kind: 'done' } | { readonly kind: 'kept'; readonly why: string }

export interface UpdateTaker {
  /** Never rejects. */
  take(update: ReadUpdate): Promise<Taken>
  /** Tells the person that it is not stored yet. */
  postpone(update: ReadUpdate): void
}

/** A database that takes longer is away. What it stores later all the same comes twice, which its id makes harmless. */
const patienceMs = 30_000
const rememberedPeople = 10_000
const awayAnswer = {
  text: 'The database is away; your tap is kept and handled when it is back.',
  alert: true,
}

/** Hands over what people did, answers taps, and drops what is nobody's. */
export function createUpdateTaker(options: {
  readonly api: Api
  readonly intake: Intake
  readonly log: Log
}): UpdateTaker {
  const { api, intake, log } = options
  const notice = createAwayNotice(api, log)
  const replyTo = ({ callbackId }: Pick<Act, 'callbackId'>): TapReply | undefined =>
    callbackId === undefined ? undefined : createTapReply(api, log, callbackId)
  // CHAT-01: that what they sent will be handled is true of people whose last update was taken.
  const known = createRecentKeys(rememberedPeople)
  const tellKept = ({ incoming, updateId }: Act, reply: TapReply | undefined): void => {
    const isKnown = known.has(incoming.from.id) || intake.isListed?.(incoming.from) === true
    if (reply !== undefined) reply(isKnown ? awayAnswer : undefined)
    else if (isKnown && incoming.isPrivate) notice.tell(incoming.place, updateId)
  }
  const takeAct = async (update: Act): Promise<Taken> => {
    const { incoming } = update
    const reply = replyTo(update)
    try {
      const taking = intake.take(incoming)
      taking.then(({ answer }) => follow(answer, reply)).catch(() => undefined)
      const taken = await orTimeout(taking, patienceMs)
      if (taken.known === true) known.add(incoming.from.id)
      else if (!isOfAlbum(incoming)) known.forget(incoming.from.id)
      return { kind: 'done' }
    } catch (error) {
      tellKept(update, reply)
      return { kind: 'kept', why: `not stored: ${nameOf(error)}` }
    }
  }
  return {
    take: async (update) => {
      switch (update.kind) {
        case 'incoming':
          return takeAct(update)
        case 'ignored':
          if (update.ifAlbum !== undefined) return takeAct(update.ifAlbum)
          log.debug({ updateId: update.updateId, why: update.why }, 'telegram: ignored')
          replyTo(update)?.(undefined)
          return { kind: 'done' }
        case 'malformed':
          log.warn({ updateId: update.updateId, why: update.why }, 'telegram: unreadable, dropped')
          return { kind: 'done' }
        default:
          return assertNever(update)
      }
    },
    postpone: (update) => {
      if (update.kind === 'incoming') tellKept(update, replyTo(update))
    },
  }
}

/** Of it nobody knew whether it is for us: that it was not taken says nothing of who sent it. */
function isOfAlbum({ act }: Incoming): boolean {
  return act.kind === 'message' && act.ifAlbumTaken === true
}

async function follow(answer: Promise<TapAnswer | undefined>, reply?: TapReply): Promise<void> {
  const words = await answer.catch(() => undefined)
  reply?.(words)
}

/** Messages of a database may hold values: its name and code are enough here. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}
