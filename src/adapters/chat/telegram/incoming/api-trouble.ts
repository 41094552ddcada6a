import { assertNever } from '../../../../util/assert-never.ts'
import type { ApiFailure } from './api-failure.ts'

/** Told of each failure of a call that is tried again. */
export type OnFailure = (failure: ApiFailure) => void

/** Tells whoever started it, in plain words and once a kind, why Telegram does not work as it should. */
export function createTroubleTeller(tell: (why: string) => void): OnFailure {
  const told = new Set<ApiFailure['kind']>()
  return (failure) => {
    const words = troubleWords(failure)
    if (words === undefined || told.has(failure.kind)) return
    told.add(failure.kind)
    tell(words)
  }
}

/** Undefined: it ends the service with words of its own, or mends itself. */
function troubleWords(failure: ApiFailure): string | undefined {
  switch (failure.kind) {
    case 'token_refused':
      return undefined
    case 'busy':
      return 'it asks to wait; trying on.'
    case 'conflict':
      return failure.isWebhook ? undefined : conflict
    case 'rejected':
      return `it refuses (${failure.why}); trying on.`
    case 'unreachable':
      return `no answer yet${failure.detail === undefined ? '' : ` (${failure.detail})`}; trying on.`
    default:
      return assertNever(failure)
  }
}

const conflict =
  'another program asks for updates with this token; messages go to only one of the two.'
