interface Post {
  readonly body: unknown
  readonly apiKey: string | undefined
  readonly signal: AbortSignal
}

/** Calls a provider endpoint that its SDK does not cover. Follows no redirect: the key would be sent along. */
export function postJson(
  send: typeof fetch,
  url: string,
  { body, apiKey, signal }: Post,
): Promise<Response> {
  return send(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal,
  })
}
