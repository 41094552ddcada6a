import type { webApi } from '@slack/bolt'
import type { Incoming, Intake } from '../../../../ports/chat.ts'
import { orTimeout } from '../../../../util/abort.ts'
import type { Log } from '../../../../util/log.ts'
import { toModal } from './forms.ts'
import type { SendEphemeral } from './send-ephemeral.ts'

interface Opening {
  readonly client: webApi.WebClient
  readonly intake: Intake
  readonly sendEphemeral: SendEphemeral
  readonly log: Log
}

/** A trigger is valid for 3 s; the rest is needed to store the tap. */
const openTimeoutMs = 1_500
const notOpened = 'Slack did not open the form: please tap again.'

/**
 * Opens the form that a tap asks for (SLACK-02). Returns what remains to be taken: undefined once a form is open; the tap
 * itself if it has no form, or if it is a denial whose form could not be opened, as a reason is optional.
 */
export async function openForm(
  { client, intake, sendEphemeral, log }: Opening,
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
    await orTimeout(client.views.open({ trigger_id: triggerId, view }), openTimeoutMs)
    return undefined
  } catch {
    log.debug({ form: form.kind }, 'slack: failed to open form')
    if (form.kind === 'reason') return { ...incoming, act: { ...act, written: '' } }
    sendEphemeral(incoming, notOpened)
    return undefined
  }
}
