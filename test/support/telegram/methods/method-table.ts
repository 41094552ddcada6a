import { answerCallbackQuery } from './answer-callback-query.ts'
import { sendChatAction } from './chat-action.ts'
import { getMyCommands, setMyCommands } from './commands.ts'
import { sendMessageDraft } from './draft.ts'
import {
  deleteMessage,
  editMessageCaption,
  editMessageReplyMarkup,
  editMessageText,
} from './editing.ts'
import { getFile } from './files.ts'
import type { Call, Method } from './method.ts'
import { sendDocument, sendMessage, sendRichMessage } from './sending.ts'
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from './updates.ts'

const methods: Readonly<Record<string, Method>> = {
  getMe: ({ bot }) => bot.user,
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  setMyCommands,
  getMyCommands,
  sendMessage,
  editMessageText,
  editMessageCaption,
  editMessageReplyMarkup,
  deleteMessage,
  sendChatAction,
  answerCallbackQuery,
  sendDocument,
  getFile,
  sendMessageDraft,
  sendRichMessage,
}

const byName = new Map(
  Object.entries(methods).map(([name, method]) => [name.toLowerCase(), { name, method }]),
)

/** The method of this name, however it is written; undefined: the server has none. */
export function findMethod(
  name: string,
  world: Call['world'],
): { readonly name: string; readonly method: Method } | undefined {
  const found = byName.get(name.toLowerCase())
  const isTooOld =
    (found?.name === 'sendMessageDraft' && !world.drafts) ||
    (found?.name === 'sendRichMessage' && world.lacks.has('rich_messages'))
  return isTooOld ? undefined : found
}
