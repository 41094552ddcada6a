import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { badRequest, Refusal } from './limits/refusal.ts'
import { parseMultipart, type Upload } from './multipart.ts'
import { isRecord, Params } from './params.ts'

const maxBodyBytes = 50 * 1024 * 1024

/** The parameters of a request, from its query and its body in any of the three shapes. */
export async function readParams(request: IncomingMessage, url: URL): Promise<Params> {
  const query = Object.fromEntries(url.searchParams)
  const body = await buffer(request)
  if (body.length > maxBodyBytes) throw new Refusal(413, 'Request Entity Too Large')
  const contentType = request.headers['content-type'] ?? ''
  const { fields, files } = readBody(body, contentType)
  return new Params({ ...query, ...fields }, files)
}

interface ReadBody {
  readonly fields: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, Upload>
}

function readBody(body: Buffer, contentType: string): ReadBody {
  const files = new Map<string, Upload>()
  if (body.length === 0) return { fields: {}, files }
  if (contentType.startsWith('application/json')) return { fields: readJson(body), files }
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return { fields: Object.fromEntries(new URLSearchParams(body.toString('utf8'))), files }
  }
  if (contentType.startsWith('multipart/form-data')) {
    const form = parseMultipart(body, contentType)
    if (form === undefined) throw badRequest("can't parse multipart/form-data")
    return { fields: Object.fromEntries(form.fields), files: form.files }
  }
  return { fields: {}, files }
}

function readJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (isRecord(value)) return value
  } catch {
    // Refused below, like a body that is no object.
  }
  throw badRequest("can't parse JSON object")
}
