import type { ChatPlatform, Outgoing } from '../../src/ports/chat.ts'

/** A message to people, and the `performance.now()` at which the platform was handed it. */
export interface Arrived {
  readonly message: Outgoing
  readonly at: number
}

/** A platform that takes every message at once and tells whoever waits for one. */
export interface BenchPlatform extends ChatPlatform {
  /** The next message of this kind in a conversation; rejects when words of the product itself come instead. */
  next(conversation: string, kind: 'answer' | 'card'): Promise<Arrived>
}

interface Waiting {
  readonly kind: Outgoing['kind']
  readonly resolve: (arrived: Arrived) => void
  readonly reject: (error: Error) => void
}

const patienceMs = 60_000

export function createBenchPlatform(): BenchPlatform {
  const waiting = new Map<string, Waiting>()
  let sent = 0
  return {
    name: 'bench',
    next: (conversation, kind) => {
      const { promise, resolve, reject } = Promise.withResolvers<Arrived>()
      waiting.set(conversation, { kind, resolve, reject })
      const late = setTimeout(() => reject(new Error(`no ${kind} came`)), patienceMs)
      return promise.finally(() => clearTimeout(late))
    },
    deliver: async (conversation, message) => {
      const at = performance.now()
      const waiter = waiting.get(conversation)
      if (message.kind === waiter?.kind) {
        waiting.delete(conversation)
        waiter.resolve({ message, at })
      } else if (message.kind === 'notice') waiter?.reject(new Error(message.text))
      sent += 1
      return { kind: 'sent', messageId: String(sent) }
    },
    live: () => undefined,
  }
}
