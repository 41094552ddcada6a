interface Post {
  readonly body: unknown
  readonly apiKey: string | undefined
  readonly signal: AbortSignal
}

/** Asks a provider's endpoint beside those that its SDK knows. Follows no redirect: the key would go along. */
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
