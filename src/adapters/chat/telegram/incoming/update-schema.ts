import { z } from 'zod'

/* The fields used here of an update of the Bot API (https://core.telegram.org/bots/api#update). */

/** A field whose presence alone matters. */
const anything = z.unknown().optional()

const userId = z.int().positive()
const messageId = z.int().nonnegative()

/** Fields of a message that carry a file. */
const files = {
  animation: anything,
  audio: anything,
  document: anything,
  live_photo: anything,
  paid_media: anything,
  photo: anything,
  sticker: anything,
  story: anything,
  video: anything,
  video_note: anything,
  voice: anything,
}

/** Names of the fields that carry a file. */
export const fileFields = Object.keys(files) as readonly (keyof typeof files)[]

const user = z.object({
  id: userId,
  is_bot: z.boolean().default(false),
  first_name: z.string(),
  last_name: z.string().optional(),
  username: z.string().optional(),
})

const chat = z.object({
  id: z.int(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
})

const entity = z.object({
  type: z.string(),
  /** Offset and length are in UTF-16 code units. */
  offset: z.int().nonnegative(),
  length: z.int().nonnegative(),
  user: z.object({ id: userId }).optional(),
})

const where = {
  message_id: messageId,
  chat,
  message_thread_id: z.int().positive().optional(),
  is_topic_message: z.boolean().optional(),
}

const message = z.object({
  ...where,
  /** Unix seconds. */
  date: z.int().nonnegative().optional(),
  from: user.optional(),
  sender_chat: anything,
  sender_business_bot: anything,
  via_bot: anything,
  is_automatic_forward: anything,
  text: z.string().optional(),
  entities: z.array(entity).optional(),
  caption: z.string().optional(),
  caption_entities: z.array(entity).optional(),
  /** Groups the messages of an album. */
  media_group_id: z.string().optional(),
  ...files,
  reply_to_message: z
    .object({
      message_id: messageId,
      from: z.object({ id: userId }).optional(),
      forum_topic_created: anything,
    })
    .optional(),
})

/** An unreadable button does not invalidate the others. */
const button = z.object({ callback_data: z.string().optional() }).catch({})
const keyboard = z.object({
  inline_keyboard: z.array(z.array(button)).optional().catch(undefined),
})

const callbackQuery = z.object({
  id: z.string().min(1),
  from: user,
  /** Only chat and id are present if the message is too old. */
  message: z.object({ ...where, reply_markup: keyboard.optional().catch(undefined) }).optional(),
  data: z.string().optional(),
})

/** A tap on *Stop* below a draft: https://core.telegram.org/bots/api#messagegenerationstopped. Private chats only. */
const stopped = z.object({
  chat: user.omit({ is_bot: true }).extend({ type: z.literal('private') }),
  message_thread_id: z.int().positive().optional(),
  draft_id: z.int().positive(),
})

export const updateSchema = z.object({
  update_id: z.int().nonnegative(),
  message: message.optional(),
  callback_query: callbackQuery.optional(),
  stopped_message_generation: stopped.optional(),
})

export type TelegramUser = z.infer<typeof user>
export type TelegramEntity = z.infer<typeof entity>
export type TelegramMessage = z.infer<typeof message>
export type CallbackQuery = z.infer<typeof callbackQuery>
export type StoppedDraft = z.infer<typeof stopped>
