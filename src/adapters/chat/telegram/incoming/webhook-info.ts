import type { Api } from 'grammy'
import { z } from 'zod'
import { toPrintableLine } from '../../render/printable.ts'
import { toApiSignal } from '../api.ts'
import { withoutToken } from './api-failure.ts'

/** State of a bot's webhook, as Telegram reports it. */
export interface WebhookInfo {
  /** Host only, as the rest of the URL may be secret. Undefined if no webhook is set. */
  readonly host: string | undefined
  /** Error of Telegram's last delivery, at most 200 UTF-16 units, without anything that looks like a token. */
  readonly lastError: string | undefined
}

const webhookInfo = z.object({ url: z.string(), last_error_message: z.string().optional() })

/** Undefined if Telegram does not answer. */
export async function readWebhookInfo(
  api: Api,
  signal: AbortSignal,
): Promise<WebhookInfo | undefined> {
  const answer: unknown = await api.getWebhookInfo(toApiSignal(signal)).catch(() => undefined)
  const info = webhookInfo.safeParse(answer)
  if (!info.success) return undefined
  const { url, last_error_message: errorText = '' } = info.data
  const lastError = withoutToken(toPrintableLine(errorText))
  return {
    host: url === '' ? undefined : hostOf(url),
    lastError: lastError === '' ? undefined : lastError,
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that cannot be read'
}
