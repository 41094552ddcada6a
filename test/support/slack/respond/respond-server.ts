import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { sendJson } from '../answers.ts'
import { Refusal } from '../limits/refusal.ts'
import type { World } from '../world.ts'
import { respond } from './respond.ts'

/** Takes what is posted to a response_url. */
export async function takeResponse(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const url = world.responseUrls.find(path)
  try {
    if (url === undefined) throw new Refusal('invalid_token', {}, { status: 404 })
    respond(world, url, await json(request))
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end('ok')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // A refused content has no status of its own here.
    const status = error.status === 200 ? 400 : error.status
    sendJson(response, status, { ok: false, error: error.message, ...error.details })
  }
}
