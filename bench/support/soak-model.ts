import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import { wires } from '../../test/support/model-wires.ts'

/** A provider that does what a person's last message says and keeps nothing of it, however long it serves. */
export interface SoakModel extends AsyncDisposable {
  readonly url: string
}

const block = z.looseObject({ type: z.string(), text: z.string().optional() })
const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(block)]),
})
const request = z.looseObject({ messages: z.array(message) })

/** `run: COMMAND` calls bash, and behind its result `finished: ORDER` is said; as it is of anything else at once. */
export async function createSoakModel(): Promise<SoakModel> {
  let calls = 0
  const server = createServer((incoming, response) => {
    const answering = json(incoming).then((body) => {
      calls += 1
      answer(response, request.parse(body), calls)
    })
    answering.catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(response: ServerResponse, asked: z.infer<typeof request>, count: number): void {
  const { contentType, answer: toStream } = wires.anthropic
  const order = asked.messages.flatMap(wordsOf).at(-1) ?? ''
  const last = asked.messages.at(-1)?.content
  const hasResult = Array.isArray(last) && last.at(-1)?.type === 'tool_result'
  const isDone = hasResult || !order.startsWith('run: ')
  const command = order.slice('run: '.length)
  const call = { id: `toolu_${count}`, tool: 'bash', arguments: JSON.stringify({ command }) }
  response.writeHead(200, { 'content-type': contentType })
  response.end(toStream(isDone ? { text: `finished: ${order}` } : { calls: [call] }).join(''))
}

/** What a person wrote. */
function wordsOf({ role, content }: z.infer<typeof message>): readonly string[] {
  if (role !== 'user') return []
  if (typeof content === 'string') return [content]
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}
