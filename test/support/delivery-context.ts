import type { DeliveryContext } from '../../src/ports/chat.ts'
import { newToken } from '../../src/util/ids.ts'

/** What a delivery may use, where a test has no outbox: parts are forgotten, tokens are good for nothing. */
export function aContext(given: Partial<DeliveryContext> = {}): DeliveryContext {
  return {
    sentParts: [],
    onPart: async () => undefined,
    mintTokens: async (_approvalId, actions) =>
      Object.fromEntries(actions.map((action) => [action, newToken()])) as never,
    mintBatchTokens: async (_batchId, actions) =>
      Object.fromEntries(actions.map((action) => [action, newToken()])) as never,
    mintRevokeTokens: async (grants) => grants.map(newToken),
    mintFeedbackTokens: async () => ({ good: newToken(), bad: newToken() }),
    readAttachment: async () => {
      throw new Error('this test has no files')
    },
    ...given,
  }
}
