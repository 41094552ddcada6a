import { setStatus, setSuggestedPrompts, setTitle } from './assistant.ts'
import { deleteMessage, postEphemeral, postMessage, update } from './chat.ts'
import {
  authTest,
  conversationsInfo,
  conversationsOpen,
  openConnection,
  usersInfo,
} from './directory.ts'
import { completeUpload, filesInfo, getUploadUrl } from './files.ts'
import { conversationsHistory, conversationsReplies } from './history.ts'
import type { Method } from './method.ts'
import { addReaction } from './reactions.ts'
import { renameSession, setSessionStatus } from './sessions.ts'
import { appendStream, startStream, stopStream } from './streams.ts'
import { viewsOpen, viewsPush, viewsUpdate } from './views.ts'

const bot = { token: 'bot', scopes: [] } as const
const write = { token: 'bot', scopes: ['chat:write'] } as const
const assist = { token: 'bot', scopes: ['assistant:write'] } as const
const upload = { token: 'bot', scopes: ['files:write'] } as const
const react = { token: 'bot', scopes: ['reactions:write'] } as const

/** Scopes and pace of each are of its page below https://docs.slack.dev/reference/methods. */
const methods: Readonly<Record<string, Method>> = {
  'agents.sessions.rename': { ...write, pace: 50, run: renameSession },
  'agents.sessions.setStatus': { ...write, pace: 50, run: setSessionStatus },
  'apps.connections.open': {
    token: 'app',
    scopes: ['connections:write'],
    pace: 50,
    run: openConnection,
  },
  'assistant.threads.setStatus': { ...bot, pace: 'special', run: setStatus },
  'assistant.threads.setSuggestedPrompts': { ...assist, pace: 100, run: setSuggestedPrompts },
  'assistant.threads.setTitle': { ...assist, pace: 100, run: setTitle },
  'auth.test': { ...bot, pace: 'special', run: authTest },
  'chat.appendStream': { ...write, pace: 100, run: appendStream },
  'chat.delete': { ...write, pace: 50, run: deleteMessage },
  'chat.postEphemeral': { ...write, pace: 100, run: postEphemeral },
  'chat.postMessage': { ...write, pace: 'channel', run: postMessage },
  'chat.startStream': { ...write, pace: 20, run: startStream },
  'chat.stopStream': { ...write, pace: 20, run: stopStream },
  'chat.update': { ...write, pace: 50, run: update },
  'conversations.history': { ...bot, pace: 50, run: conversationsHistory },
  'conversations.info': { ...bot, pace: 50, run: conversationsInfo },
  'conversations.open': { ...bot, pace: 50, run: conversationsOpen },
  'conversations.replies': { ...bot, pace: 50, run: conversationsReplies },
  'files.completeUploadExternal': { ...upload, pace: 100, run: completeUpload },
  'files.getUploadURLExternal': { ...upload, pace: 100, run: getUploadUrl },
  'files.info': { token: 'bot', scopes: ['files:read'], pace: 100, run: filesInfo },
  'reactions.add': { ...react, pace: 50, run: addReaction },
  'users.info': { token: 'bot', scopes: ['users:read'], pace: 100, run: usersInfo },
  'views.open': { ...bot, pace: 100, run: viewsOpen },
  'views.push': { ...bot, pace: 100, run: viewsPush },
  'views.update': { ...bot, pace: 100, run: viewsUpdate },
}

export function findMethod(name: string): Method | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}

/** Every method that the stand-in knows. */
export function methodNames(): string[] {
  return Object.keys(methods)
}
