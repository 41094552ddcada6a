import type { Api } from 'grammy'
import { z } from 'zod'
import { toPrintableLine } from '../../render/printable.ts'
import { toApiSignal } from '../api.ts'
import { withoutToken } from './api-failure.ts'

/** What Telegram says of a bot's webhook. */
export interface WebhookInfo {
  /** Where it is; the rest of the address may be a secret of whoever set it. Undefined: none is set. */
  readonly host: string | undefined
  /** Why Telegram's last call of it failed, at most 200 characters without anything like a token. */
  readonly lastError: string | undefined
}

const webhookInfo = z.object({ url: z.string(), last_error_message: z.string().optional() })

/** Undefined when Telegram does not say. */
export async function readWebhookInfo(
  api: Api,
  signal: AbortSignal,
): Promise<WebhookInfo | undefined> {
  const answer: unknown = await api.getWebhookInfo(toApiSignal(signal)).catch(() => undefined)
  const info = webhookInfo.safeParse(answer)
  if (!info.success) return undefined
  const { url, last_error_message: said = '' } = info.data
  const lastError = withoutToken(toPrintableLine(said))
  return {
    host: url === '' ? undefined : hostOf(url),
    lastError: lastError === '' ? undefined : lastError,
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that cannot be read'
}
