import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { parseMultipart } from '../telegram/multipart.ts'
import { Refusal } from './limits/refusal.ts'
import { isRecord, Params } from './params.ts'

export interface ReadCall {
  readonly params: Params
  readonly token: string | undefined
}

/** The arguments and the token of a call. A token in a JSON body does not count: it belongs in the header then. */
export async function readCall(request: IncomingMessage, url: URL): Promise<ReadCall> {
  const query = Object.fromEntries(url.searchParams)
  const { fields, isJson } = readBody(
    await buffer(request),
    (request.headers['content-type'] ?? '').toLowerCase(),
    request.headers['content-type'] ?? '',
  )
  const { token: inBody, ...rest } = { ...query, ...fields }
  const header = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const given = typeof inBody === 'string' && !isJson ? inBody : undefined
  return { params: new Params(rest), token: header ?? given }
}

function readBody(
  body: Buffer,
  type: string,
  written: string,
): { readonly fields: Record<string, unknown>; readonly isJson: boolean } {
  if (body.length === 0) return { fields: {}, isJson: false }
  if (type.startsWith('application/json')) return { fields: readJson(body), isJson: true }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const fields = Object.fromEntries(new URLSearchParams(body.toString('utf8')))
    return { fields, isJson: false }
  }
  if (type.startsWith('multipart/form-data')) {
    const form = parseMultipart(body, written)
    if (form === undefined) throw new Refusal('invalid_form_data')
    return { fields: Object.fromEntries(form.fields), isJson: false }
  }
  throw new Refusal(type === '' ? 'missing_post_type' : 'invalid_post_type')
}

function readJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (isRecord(value)) return value
  } catch {
    // Refused below, like a body that is no object.
  }
  throw new Refusal('invalid_json')
}
