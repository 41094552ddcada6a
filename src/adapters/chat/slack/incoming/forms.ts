import type { types } from '@slack/bolt'
import { z } from 'zod'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { TapForm } from '../../../../ports/chat.ts'
import { cutText } from '../../render/runs/cut-text.ts'

/** Private metadata of a form, which Slack stores and returns with the submission. */
const metadata = z.strictObject({
  place: z.string().max(100),
  messageId: z.string().max(40),
  token: z.string().max(100),
})
export type FormMetadata = z.infer<typeof metadata>

/** Id of a form's only field. */
export const fieldId = 'written'
const longestTitle = 24
/** Slack's limit of a text field. */
const longestField = 3_000

/** Converts a button's form to a modal (https://docs.slack.dev/surfaces/modals). */
export function toModal({ chat }: Messages, form: TapForm, behind: FormMetadata): types.ModalView {
  const title = form.kind === 'reason' ? chat.denyTitle(form) : chat.editTitle(form)
  return {
    type: 'modal',
    callback_id: form.kind,
    title: plain(cutText(title, longestTitle)),
    submit: plain(form.kind === 'reason' ? chat.deny : chat.askAgain),
    close: plain(chat.cancel),
    private_metadata: JSON.stringify(behind),
    blocks: [form.kind === 'reason' ? reasonField(chat) : editField(chat, form.present)],
  }
}

function reasonField(chat: Messages['chat']): types.InputBlock {
  return {
    type: 'input',
    block_id: fieldId,
    optional: true,
    label: plain(chat.whyNot),
    element: {
      type: 'plain_text_input',
      action_id: fieldId,
      multiline: true,
      max_length: longestField,
      focus_on_load: true,
    },
  }
}

function editField(chat: Messages['chat'], present: string): types.InputBlock {
  const fits = present !== '' && present.length <= longestField
  return {
    type: 'input',
    block_id: fieldId,
    label: plain(chat.newCall),
    ...(!fits && { hint: plain(chat.notShownHere) }),
    element: {
      type: 'plain_text_input',
      action_id: fieldId,
      multiline: true,
      min_length: 1,
      max_length: longestField,
      focus_on_load: true,
      ...(fits && { initial_value: present }),
    },
  }
}

function plain(text: string): types.PlainTextElement {
  return { type: 'plain_text', text, emoji: false }
}

/** Metadata of a submitted form; undefined if the form is not ours. */
export function readMetadata(text: string): FormMetadata | undefined {
  try {
    return metadata.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
