import { boolean, type Check, integer, kinds, object, oneOf, string } from './schema.ts'

// https://docs.slack.dev/reference/block-kit/composition-objects/text-object
/** A plain_text object of up to `max` characters. */
export function plainText(max: number): Check {
  return kinds(() => ({
    plain_text: object({ type: oneOf('plain_text'), text: string(max) }, { emoji: boolean }),
  }))
}

export function mrkdwn(max: number): Check {
  return kinds(() => ({
    mrkdwn: object({ type: oneOf('mrkdwn'), text: string(max) }, { verbatim: boolean }),
  }))
}

export function anyText(max: number): Check {
  return kinds(() => ({
    plain_text: object({ type: oneOf('plain_text'), text: string(max) }, { emoji: boolean }),
    mrkdwn: object({ type: oneOf('mrkdwn'), text: string(max) }, { verbatim: boolean }),
  }))
}

// https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
export const confirm: Check = object(
  { title: plainText(100), text: anyText(300), confirm: plainText(30), deny: plainText(30) },
  { style: oneOf('primary', 'danger') },
)

// https://docs.slack.dev/reference/block-kit/composition-objects/option-object
export function option(text: (max: number) => Check): Check {
  return object(
    { text: text(75), value: string(150) },
    { description: plainText(75), url: string(3000) },
  )
}

export const dispatchConfig: Check = object({
  trigger_actions_on: (value, at, problems) => {
    const known = ['on_enter_pressed', 'on_character_entered']
    if (!Array.isArray(value) || value.some((each) => !known.includes(each))) {
      problems.push(`value must be one of: ${known.join(', ')} [json-pointer:${at}]`)
    }
  },
})

export const actionId = string(255)
export const blockId = string(255)
export const lines = integer(0, 3000)
