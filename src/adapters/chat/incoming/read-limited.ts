/** The body of an answer, read no further than `maxBytes`; undefined: it is longer. Rejects when it breaks off. */
export async function readLimited(
  response: Response,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const told = Number(response.headers.get('content-length') ?? 0)
  if (told > maxBytes || response.body === null) {
    await response.body?.cancel()
    return told > maxBytes ? undefined : Buffer.alloc(0)
  }
  const parts: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels what is still to come.
  for await (const part of response.body) {
    size += part.length
    if (size > maxBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
