import type { Update, WebhookInfo } from 'grammy/types'
import { badRequest, conflict, tooManyRequests } from '../limits/refusal.ts'
import { seconds } from '../messages.ts'
import { type Call, Described } from './method.ts'

export async function getUpdates(call: Call): Promise<Update[]> {
  const { bot, params, gone } = call
  if (bot.webhook.settings !== undefined) {
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
  }
  const offset = params.integer('offset') ?? 0
  const limit = Math.min(Math.max(params.integer('limit') ?? 100, 1), 100)
  const timeout = Math.min(Math.max(params.integer('timeout') ?? 0, 0), 50)
  rememberKinds(call)
  return await bot.updates.poll({ offset, limit, timeoutMs: timeout * 1000 }, gone)
}

export function setWebhook(call: Call): true | Described {
  const { bot, params } = call
  const url = params.text('url') ?? ''
  if (url === '') return deleteWebhook(call)
  const secretToken = params.text('secret_token') ?? ''
  if (secretToken.length > 256) throw badRequest('secret token is too long')
  if (!/^[A-Za-z0-9_-]*$/.test(secretToken)) {
    throw badRequest('secret token contains unallowed characters')
  }
  checkWebhookUrl(url)
  if (call.world.now() < bot.webhook.nextSetAt) throw tooManyRequests(1)
  bot.webhook.nextSetAt = call.world.now() + 1000
  const maxConnections = params.integer('max_connections') ?? 40
  rememberKinds(call)
  if (params.flag('drop_pending_updates')) bot.updates.clear()
  const current = bot.webhook.settings
  if (current?.url === url && current.secretToken === secretToken) {
    return new Described(true, 'Webhook is already set')
  }
  bot.updates.endWait('terminated by setWebhook request')
  bot.webhook.set({ url, secretToken, maxConnections })
  call.world.changed()
  return new Described(true, 'Webhook was set')
}

export function deleteWebhook({ bot, params, world }: Call): Described {
  if (params.flag('drop_pending_updates')) bot.updates.clear()
  if (bot.webhook.settings === undefined) {
    return new Described(true, 'Webhook is already deleted')
  }
  bot.webhook.set(undefined)
  world.changed()
  return new Described(true, 'Webhook was deleted')
}

export function getWebhookInfo({ bot }: Call): WebhookInfo {
  const { settings, lastError } = bot.webhook
  return {
    url: settings?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: bot.updates.pending.length,
    ...(settings !== undefined && {
      max_connections: settings.maxConnections,
      ip_address: '127.0.0.1',
    }),
    ...(lastError !== undefined && {
      last_error_date: seconds(lastError.at),
      last_error_message: lastError.message,
    }),
    ...(bot.updates.allowed.length > 0 && {
      allowed_updates: [...bot.updates.allowed] as NonNullable<WebhookInfo['allowed_updates']>,
    }),
  } as WebhookInfo
}

/** As `Client::get_allowed_update_types` of https://github.com/tdlib/telegram-bot-api: names that it does not know are left out. */
function rememberKinds({ bot, params, world }: Call): void {
  const kinds = params.json('allowed_updates', 'allowed_updates')
  if (!Array.isArray(kinds)) return
  const unknown = world.lacks.has('can_stop') ? 'stopped_message_generation' : undefined
  bot.updates.allow(kinds.filter((kind) => typeof kind === 'string' && kind !== unknown))
}

/** The platform takes https only; plain http to this machine is for tests. */
function checkWebhookUrl(url: string): void {
  const parsed = URL.parse(url)
  if (parsed === null || !parsed.protocol.startsWith('http')) {
    throw badRequest('invalid webhook URL specified')
  }
  if (['127.0.0.1', 'localhost', '[::1]'].includes(parsed.hostname)) return
  if (parsed.protocol !== 'https:') {
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
  }
  if (!['', '443', '80', '88', '8443'].includes(parsed.port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443')
  }
}
