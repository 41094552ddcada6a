import type { Api } from 'grammy'
import type { Log } from '../../../util/log.ts'
import { beginningOf } from '../../../util/text/shorten.ts'
import { withDeadline } from './api.ts'
import { toApiFailure } from './incoming/api-failure.ts'

export interface BotCommandHint {
  /** Without `/`; at most 32 of `a-z`, `0-9` and `_`. */
  readonly name: string
  readonly summary: string
}

const deadlineMs = 30_000
const longestSummary = 256

/**
 * Registers commands for completion in clients. Failures are only logged, as commands work without it. Throws for an invalid
 * name.
 */
export async function registerCommands(
  api: Api,
  commands: readonly BotCommandHint[],
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const list = commands.map(({ name, summary }) => {
    if (!/^[a-z0-9_]{1,32}$/u.test(name)) throw new Error(`not a name of a command: ${name}`)
    return { command: name, description: beginningOf(summary.trim(), longestSummary) || name }
  })
  try {
    await api.setMyCommands(list, {}, withDeadline(deadlineMs, signal))
  } catch (error) {
    if (signal.aborted) return
    log.warn({ why: toApiFailure(error).why }, 'telegram: failed to register commands')
  }
}
