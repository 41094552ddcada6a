import type { webApi } from '@slack/bolt'
import type { Incoming, Intake } from '../../../../ports/chat.ts'
import { orTimeout } from '../../../../util/abort.ts'
import type { Log } from '../../../../util/log.ts'
import { toModal } from './forms.ts'
import type { SendEphemeral } from './send-ephemeral.ts'

interface Opening {
  readonly client: webApi.WebClient
  readonly intake: Intake
  readonly whisper: SendEphemeral
  readonly log: Log
}

/** Slack takes a trigger for 3 s; what is left then is for storing the tap. */
const patienceMs = 1_500
const notOpened = 'Slack did not open the form: please tap again.'

/**
 * SLACK-02: opens the form that a tap asks for. Answers what is left to be taken: nothing once a form is open; the tap
 * itself where it asks for none, or where Slack would not open it and it is a denial, which is one without a reason too.
 */
export async function openForm(
  { client, intake, whisper, log }: Opening,
  incoming: Incoming,
  triggerId: string | undefined,
): Promise<Incoming | undefined> {
  const { act, place } = incoming
  if (act.kind !== 'tap' || act.written !== undefined || triggerId === undefined) return incoming
  const form = await intake.formOf?.(incoming)
  if (form === undefined) return incoming
  const { token, messageId } = act
  try {
    const view = toModal(form, { place, messageId, token })
    await orTimeout(client.views.open({ trigger_id: triggerId, view }), patienceMs)
    return undefined
  } catch {
    log.debug({ form: form.kind }, 'slack: failed to open form')
    if (form.kind === 'reason') return { ...incoming, act: { ...act, written: '' } }
    whisper(incoming, notOpened)
    return undefined
  }
}
