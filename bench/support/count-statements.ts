import { Client } from 'pg'

/** Statements that this process sent, by whose connections they went over. */
export interface StatementCount {
  /** Of the product's own tables, `begin` and `commit` included. */
  readonly product: number
  /** Of the queue's tables, and notifications. */
  readonly queue: number
  /** How often each text was sent, the most frequent first. */
  readonly texts: readonly (readonly [string, number])[]
}

export interface StatementCounter extends Disposable {
  /** What was sent since the last time. */
  take(): StatementCount
}

type Query = (this: Client, ...given: unknown[]) => unknown

/** Counts every statement of every connection of this process until disposed. */
export function countStatements(): StatementCounter {
  const original = Reflect.get(Client.prototype, 'query') as Query
  let product = 0
  let queue = 0
  let texts = new Map<string, number>()
  const counting: Query = function counting(this: Client, ...given) {
    const sent = textOf(given[0])
    // The Sync that ends a pipelined transaction is a message of the protocol and no statement.
    if (sent === undefined) return original.apply(this, given)
    const isQueue = connectionOptions(this).includes('search_path=bullmq')
    if (isQueue) queue += 1
    else product += 1
    const text = `${isQueue ? 'queue: ' : ''}${sent}`
    texts.set(text, (texts.get(text) ?? 0) + 1)
    return original.apply(this, given)
  }
  Reflect.set(Client.prototype, 'query', counting)
  return {
    take: () => {
      const counted = { product, queue, texts: [...texts].toSorted((a, b) => b[1] - a[1]) }
      product = 0
      queue = 0
      texts = new Map()
      return counted
    },
    [Symbol.dispose]: () => {
      Reflect.set(Client.prototype, 'query', original)
    },
  }
}

function connectionOptions(client: Client): string {
  const parameters: unknown = Reflect.get(client, 'connectionParameters')
  const hasOptions =
    typeof parameters === 'object' && parameters !== null && 'options' in parameters
  return hasOptions ? String(parameters.options) : ''
}

function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  const hasText = typeof given === 'object' && given !== null && 'text' in given
  return hasText ? String(given.text) : undefined
}
