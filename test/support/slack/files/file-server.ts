import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { parseMultipart } from '../../telegram/multipart.ts'
import { sendPage } from '../answers.ts'
import type { World } from '../world.ts'

/** Takes the bytes of a file at the address that files.getUploadURLExternal gave, as a form or bare. */
export async function takeUpload(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const file = world.files.get(path.split('/')[3] ?? '')
  const body = await buffer(request)
  const bytes = bytesOf(body, request.headers['content-type'] ?? '')
  const fits = file?.state === 'reserved' && bytes?.length === file.announcedBytes
  if (file === undefined || bytes === undefined || !fits) {
    sendPage(response, 400)
    return
  }
  file.bytes = bytes
  file.state = 'uploaded'
  world.changed()
  response.writeHead(200, { 'content-type': 'text/plain' })
  response.end(`OK - ${bytes.length}`)
}

function bytesOf(body: Buffer, type: string): Uint8Array | undefined {
  if (!type.startsWith('multipart/form-data')) return body
  const form = parseMultipart(body, type)
  return form?.files.values().next().value?.bytes
}

/** Gives the bytes of a file to the app; anybody else is shown where to sign in, with status 200. */
export function giveFile(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  const { app } = world
  const file = world.files.get(path.split('/')[2]?.split('-')[1] ?? '')
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const known = token === app.botToken && app.installed && app.scopes.has('files:read')
  if (!known) {
    sendPage(response, 200, 'Sign in to your workspace')
    return
  }
  const seen = [...(file?.channelIds ?? [])].some((id) =>
    world.channels.get(id)?.members.has(app.userId),
  )
  if (file === undefined || file.deleted || (!seen && file.userId !== app.userId)) {
    sendPage(response, 404)
    return
  }
  const { mimeType, bytes } = file
  response.writeHead(200, { 'content-type': mimeType, 'content-length': bytes.length })
  response.end(bytes)
}
