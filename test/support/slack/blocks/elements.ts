import { isRecord } from '../params.ts'
import {
  boolean,
  type Check,
  integer,
  kinds,
  list,
  object,
  oneOf,
  problem,
  string,
  url,
} from './schema.ts'
import { actionId, anyText, confirm, dispatchConfig, lines, option, plainText } from './texts.ts'

// https://docs.slack.dev/reference/block-kit/block-elements/button-element
export const button: Check = object(
  { type: oneOf('button'), text: plainText(75) },
  {
    action_id: actionId,
    url: url(),
    value: string(2000),
    style: oneOf('primary', 'danger'),
    confirm,
    accessibility_label: string(75),
  },
)

// https://docs.slack.dev/reference/block-kit/block-elements/image-element
export const image: Check = object(
  { type: oneOf('image'), alt_text: string(2000) },
  { image_url: url(), slack_file: object({}, { id: string(20), url: url() }) },
)

const feedbackButton = object(
  { text: plainText(75), value: string(2000) },
  { accessibility_label: string(75) },
)

// https://docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element
export const feedbackButtons: Check = object(
  {
    type: oneOf('feedback_buttons'),
    positive_button: feedbackButton,
    negative_button: feedbackButton,
  },
  { action_id: actionId },
)

// https://docs.slack.dev/reference/block-kit/block-elements/icon-button-element
export const iconButton: Check = object(
  { type: oneOf('icon_button'), icon: oneOf('trash'), text: plainText(75) },
  {
    action_id: actionId,
    value: string(2000),
    confirm,
    accessibility_label: string(75),
    visible_to_user_ids: list(string(20), 100),
  },
)

const menu = { action_id: actionId, placeholder: plainText(150), confirm, focus_on_load: boolean }

// https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element
const overflow = object(
  { type: oneOf('overflow'), options: list(option(plainText), 5) },
  { action_id: actionId, confirm },
)

const staticSelect = object(
  { type: oneOf('static_select') },
  {
    ...menu,
    options: list(option(plainText), 100),
    option_groups: list(
      object({ label: plainText(75), options: list(option(plainText), 100) }),
      100,
    ),
    initial_option: option(plainText),
  },
)

const checkboxes = object(
  { type: oneOf('checkboxes'), options: list(option(anyText), 10) },
  {
    action_id: actionId,
    initial_options: list(option(anyText), 10),
    confirm,
    focus_on_load: boolean,
  },
)

const radioButtons = object(
  { type: oneOf('radio_buttons'), options: list(option(anyText), 10) },
  { action_id: actionId, initial_option: option(anyText), confirm, focus_on_load: boolean },
)

// https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
const plainTextInput: Check = (value, at, problems) => {
  object(
    { type: oneOf('plain_text_input') },
    {
      action_id: actionId,
      initial_value: string(3000, 0),
      multiline: boolean,
      min_length: lines,
      max_length: integer(1, 3000),
      dispatch_action_config: dispatchConfig,
      focus_on_load: boolean,
      placeholder: plainText(150),
    },
  )(value, at, problems)
  if (!isRecord(value)) return
  const { initial_value: initial, max_length: max, min_length: min } = value
  if (typeof max === 'number' && typeof min === 'number' && min > max) {
    problems.push(problem('min_length must not exceed max_length', at))
  }
  if (typeof max === 'number' && typeof initial === 'string' && initial.length > max) {
    problems.push(problem(`must be less than ${max + 1} characters`, `${at}/initial_value`))
  }
}

export const actionElement: Check = kinds(() => ({
  button,
  overflow,
  static_select: staticSelect,
  checkboxes,
  radio_buttons: radioButtons,
}))

export const accessory: Check = kinds(() => ({
  button,
  overflow,
  static_select: staticSelect,
  checkboxes,
  radio_buttons: radioButtons,
  image,
}))

export const inputElement: Check = kinds(() => ({
  plain_text_input: plainTextInput,
  static_select: staticSelect,
  checkboxes,
  radio_buttons: radioButtons,
}))
