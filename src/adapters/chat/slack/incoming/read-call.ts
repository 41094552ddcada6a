import type { IncomingMessage } from 'node:http'
import { HTTPModuleFunctions, isRawBodyError } from '@slack/bolt'
import { z } from 'zod'
import { silentLogger } from '../silent-logger.ts'

/** A call that is Slack's, or the status that it is refused with. */
export type ReadCall =
  | { readonly kind: 'read'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly status: number }

/** More than Slack sends. */
const bodyLimit = 4 * 1024 * 1024
const anObject = z.record(z.string(), z.unknown())

/**
 * Reads a call once Bolt has checked its signature, at most five minutes old, over the very bytes: 401 where it is not
 * Slack's, 413 where it is too long, 400 where it says nothing that can be read. Unsigned, Slack only asks whether TLS works
 * (`ssl_check`), of which Bolt leaves nothing else.
 */
export async function readCall(request: IncomingMessage, signingSecret: string): Promise<ReadCall> {
  try {
    const options = { signingSecret, bodyLimit, logger: silentLogger }
    const buffered = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request)
    return parse(() => HTTPModuleFunctions.parseHTTPRequestBody(buffered))
  } catch (error) {
    return { kind: 'refused', status: isRawBodyError(error) ? error.statusCode : 401 }
  }
}

function parse(read: () => unknown): ReadCall {
  try {
    return { kind: 'read', body: anObject.parse(read()) }
  } catch {
    return { kind: 'refused', status: 400 }
  }
}
