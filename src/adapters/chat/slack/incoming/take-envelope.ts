import type { webApi } from '@slack/bolt'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Incoming, Intake, Person, TapAnswer } from '../../../../ports/chat.ts'
import { orTimeout } from '../../../../util/abort.ts'
import type { Log } from '../../../../util/log.ts'
import { createRecentKeys } from '../../incoming/recent-keys.ts'
import type { AnsweredThreads } from '../answered-threads.ts'
import { toModal } from './forms.ts'
import type { People } from './people.ts'
import { type Envelope, type Reader, readEnvelope } from './read-envelope.ts'
import type { SendEphemeral } from './send-ephemeral.ts'
import type { Threads } from './threads.ts'

/** A trigger is valid for 3 s; the rest is needed to store the tap. */
const openTimeoutMs = 1_500

/** A payload as delivered by Slack. */
export interface Payload {
  readonly body: unknown
  /** Slack's `x-slack-retry-num`; 0 on first delivery. */
  readonly retryNum?: number | undefined
}

/** `done`: the payload may be confirmed. `kept`: it was not stored, and Slack must deliver it again. */
export type Taken = { readonly kind: 'done' } | { readonly kind: 'kept' }

export interface TakerOptions {
  readonly client: webApi.WebClient
  readonly reader: Reader
  readonly people: People
  readonly intake: Intake
  readonly messages: Messages
  readonly threads: Threads
  readonly answered: AnsweredThreads
  /** Called with the address where somebody tapped Slack's own Stop button, after that was handled. */
  readonly onStopped: (place: string) => void
  readonly sendEphemeral: SendEphemeral
  readonly log: Log
}

type Action = Extract<Envelope, { kind: 'act' }>

/** Total time, as Slack waits for 3 s. If a payload is stored later, its id prevents a duplicate. */
const takeTimeoutMs = 2_500

const maxKnownPeople = 10_000

/** Slack repeats an event three times: at once, after one minute and after five. */
const lastRetry = 3

/**
 * Creates the function that hands payloads to the intake and drops those that are not for the bot (SLACK-01). It never rejects.
 */
export function createEnvelopeTaker(options: TakerOptions): (handed: Payload) => Promise<Taken> {
  const { reader, log, threads, answered } = options
  const take = createActTaker(options)
  return async ({ body, retryNum = 0 }) => {
    const envelope = readEnvelope(body, reader)
    switch (envelope.kind) {
      case 'act':
        if (envelope.within !== undefined) answered.record(envelope.within)
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
  const { people, intake, messages, log, threads, sendEphemeral, onStopped } = options
  // Report failures only to people whose last update was taken (CHAT-01).
  const known = createRecentKeys(maxKnownPeople)
  const isKnown = (from: Person) => known.has(from.id) || intake.isListed?.(from) === true

  const store = async (incoming: Incoming): Promise<void> => {
    const taken = await intake.take(incoming)
    if (taken.known === true) known.add(incoming.from.id)
    else known.forget(incoming.from.id)
    if (incoming.act.kind === 'message') threads.message(incoming.place, incoming.act.text)
    void sendAnswer(sendEphemeral, incoming, taken.answer).then(() => {
      if (incoming.act.kind === 'stop') onStopped(incoming.place)
    })
  }

  return async (act: Action, retryNum: number): Promise<Taken> => {
    const deadline = performance.now() + takeTimeoutMs
    const leftMs = (): number => Math.max(0, deadline - performance.now())
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
      log.warn({ why: errorName(error), retryNum }, 'slack: payload not stored')
      if (isKnown(found)) sendEphemeral(incoming, outageText(messages, act, retryNum))
      return act.via === 'tap' ? { kind: 'done' } : { kind: 'kept' }
    }
  }
}

/**
 * Text for a person while the database is unavailable. Slack repeats events only; a form stays open and shows the failure
 * itself.
 */
function outageText({ chat }: Messages, { via }: Action, retryNum: number): string | undefined {
  if (via === 'form') return undefined
  if (via === 'tap') return chat.tapLost
  if (via === 'command') return chat.commandLost
  if (retryNum === 0) return chat.messageRetried
  return retryNum >= lastRetry ? chat.messageLost : undefined
}

/** Tells a person that their tap had no effect; other results show on the card (CHAT-02). */
async function sendAnswer(
  sendEphemeral: SendEphemeral,
  incoming: Incoming,
  answer: Promise<TapAnswer | undefined>,
): Promise<void> {
  const reply = await answer.catch(() => undefined)
  if (reply?.alert === true) sendEphemeral(incoming, reply.text)
}

/** Name and code of an error. Messages of a database may contain values. */
function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

interface Opening {
  readonly client: webApi.WebClient
  readonly intake: Intake
  readonly messages: Messages
  readonly sendEphemeral: SendEphemeral
  readonly log: Log
}

/**
 * Opens the form that a tap asks for (SLACK-02). Returns what remains to be taken: undefined once a form is open; the tap
 * itself if it has no form, or if it is a denial whose form could not be opened, as a reason is optional.
 */
async function openForm(
  { client, intake, messages, sendEphemeral, log }: Opening,
  incoming: Incoming,
  triggerId: string | undefined,
): Promise<Incoming | undefined> {
  const { act, place } = incoming
  if (act.kind !== 'tap' || act.written !== undefined || triggerId === undefined) return incoming
  const form = await intake.formOf?.(incoming)
  if (form === undefined) return incoming
  const { token, messageId } = act
  try {
    const view = toModal(messages, form, { place, messageId, token })
    await orTimeout(client.views.open({ trigger_id: triggerId, view }), openTimeoutMs)
    return undefined
  } catch {
    log.debug({ form: form.kind }, 'slack: failed to open form')
    if (form.kind === 'reason') return { ...incoming, act: { ...act, written: '' } }
    sendEphemeral(incoming, messages.chat.formNotOpened)
    return undefined
  }
}
