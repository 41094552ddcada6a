import type { webApi } from '@slack/bolt'
import type { Incoming, Intake, Person, TapAnswer } from '../../../../ports/chat.ts'
import { orTimeout } from '../../../../util/abort.ts'
import type { Log } from '../../../../util/log.ts'
import { createRecentKeys } from '../../incoming/recent-keys.ts'
import type { AnsweredThreads } from '../answered-threads.ts'
import { openForm } from './open-form.ts'
import type { People } from './people.ts'
import { type Envelope, type Reader, readEnvelope } from './read-envelope.ts'
import type { SendEphemeral } from './send-ephemeral.ts'
import type { Threads } from './threads.ts'

/** What Slack hands over, and what confirms it. */
export interface Handed {
  readonly body: unknown
  /** Slack's `x-slack-retry-num`; 0 on first delivery. */
  readonly retryNum?: number | undefined
}

/** `done`: it may be confirmed. `kept`: it is not stored, Slack must bring it again. */
export type Taken = { readonly kind: 'done' } | { readonly kind: 'kept' }

export interface TakerOptions {
  readonly client: webApi.WebClient
  readonly reader: Reader
  readonly people: People
  readonly intake: Intake
  readonly threads: Threads
  readonly answered: AnsweredThreads
  /** Told of a place where somebody pressed Slack's own Stop button, once that was answered. */
  readonly onStopped: (place: string) => void
  readonly whisper: SendEphemeral
  readonly log: Log
}

type Act = Extract<Envelope, { kind: 'act' }>

/** For all of it, as Slack waits for 3 s. What is stored later all the same comes twice, which its id makes harmless. */
const patienceMs = 2_500
const rememberedPeople = 10_000
/** Slack hands an event over three times more: at once, after a minute and after five. */
const lastRetry = 3
const awayFromTap = 'The database is away: nothing was done. Tap again when it is back.'
const awayFromCommand = 'The database is away: nothing was done. Write it again when it is back.'
const awayFromMessage =
  'The database is away: Slack hands me your message again for about six minutes.'
const lost = 'The database is still away, and Slack gives up: please send your message again later.'

/** Hands over what people did, and drops what is nobody's (SLACK-01). Never rejects. */
export function createEnvelopeTaker(options: TakerOptions): (handed: Handed) => Promise<Taken> {
  const { reader, log, threads, answered } = options
  const take = createActTaker(options)
  return async ({ body, retryNum = 0 }) => {
    const envelope = readEnvelope(body, reader)
    switch (envelope.kind) {
      case 'act':
        if (envelope.within !== undefined) answered.saw(envelope.within)
        return take(envelope, retryNum)
      case 'thread_started':
        threads.started(envelope.channel, envelope.thread)
        return { kind: 'done' }
      default:
        if (envelope.kind === 'malformed')
          log.warn({ why: envelope.why }, 'slack: malformed payload dropped')
        else log.debug({ why: envelope.why }, 'slack: payload ignored')
        return { kind: 'done' }
    }
  }
}

function createActTaker(options: TakerOptions) {
  const { people, intake, log, threads, whisper, onStopped } = options
  // CHAT-01: only people whose last update was taken are told of our troubles.
  const known = createRecentKeys(rememberedPeople)
  const isKnown = (from: Person) => known.has(from.id) || intake.isListed?.(from) === true

  const store = async (incoming: Incoming): Promise<void> => {
    const taken = await intake.take(incoming)
    if (taken.known === true) known.add(incoming.from.id)
    else known.forget(incoming.from.id)
    if (incoming.act.kind === 'message') threads.said(incoming.place, incoming.act.text)
    void tellAnswer(whisper, incoming, taken.answer).then(() => {
      if (incoming.act.kind === 'stop') onStopped(incoming.place)
    })
  }

  return async (act: Act, retryNum: number): Promise<Taken> => {
    const lateAt = performance.now() + patienceMs
    const leftMs = (): number => Math.max(0, lateAt - performance.now())
    const found = await orTimeout(people.find(act.userId, act.team), leftMs()).catch(
      () => undefined,
    )
    if (found === undefined) return { kind: 'kept' }
    if (typeof found === 'string') {
      log.debug({ why: found }, 'slack: payload ignored')
      return { kind: 'done' }
    }
    const incoming = act.toIncoming(found)
    try {
      const left = await orTimeout(openForm(options, incoming, act.triggerId), leftMs())
      if (left !== undefined) await orTimeout(store(left), leftMs())
      return { kind: 'done' }
    } catch (error) {
      log.warn({ why: nameOf(error), retryNum }, 'slack: payload not stored')
      if (isKnown(found)) whisper(incoming, awayWords(act, retryNum))
      return act.via === 'tap' ? { kind: 'done' } : { kind: 'kept' }
    }
  }
}

/** Slack hands over events again, and nothing else. A form stays open, and says itself that it did not go. */
function awayWords({ via }: Act, retryNum: number): string | undefined {
  if (via === 'form') return undefined
  if (via === 'tap') return awayFromTap
  if (via === 'command') return awayFromCommand
  if (retryNum === 0) return awayFromMessage
  return retryNum >= lastRetry ? lost : undefined
}

/** CHAT-02: what a tap came to is on the card; only whoever could do nothing by it is told. */
async function tellAnswer(
  whisper: SendEphemeral,
  incoming: Incoming,
  answer: Promise<TapAnswer | undefined>,
): Promise<void> {
  const said = await answer.catch(() => undefined)
  if (said?.alert === true) whisper(incoming, said.text)
}

/** Messages of a database may hold values: its name and code are enough here. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}
