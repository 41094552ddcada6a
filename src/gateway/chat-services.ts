import type { Config } from '../config/config.ts'
import type { ChatService } from './chat-service.ts'

/** All built-in chat platforms except the terminal. */
export const chatServices: readonly ChatService[] = [
  {
    name: 'telegram',
    title: 'Telegram',
    isConfigured: ({ secrets }) => secrets.telegramBotToken !== undefined,
    serve: async (options) => (await import('./serve-telegram.ts')).startTelegram(options),
    refusals: ['TokenRefused', 'NoBotApi'],
  },
  {
    name: 'slack',
    title: 'Slack',
    isConfigured: ({ secrets }) => secrets.slackBotToken !== undefined,
    serve: async (options) => (await import('./serve-slack.ts')).startSlack(options),
    refusals: ['SlackRefused'],
  },
]

/** Whether there is a chat platform to serve. */
export function hasChat(config: Config): boolean {
  return chatServices.some((service) => service.isConfigured(config))
}
