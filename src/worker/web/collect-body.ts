/** A body as it came over the wire, or how many bytes had come when it was too much or broke off. */
export type Collected =
  | { readonly kind: 'whole'; readonly bytes: number; readonly body: Buffer }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'broken'; readonly bytes: number; readonly error: unknown }

/** WEB-05: reads no further than `most` bytes. */
export async function collectBody(source: AsyncIterable<Buffer>, most: number): Promise<Collected> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > most) return { kind: 'too-large', bytes }
      chunks.push(chunk)
    }
  } catch (error) {
    return { kind: 'broken', bytes, error }
  }
  return { kind: 'whole', bytes, body: Buffer.concat(chunks) }
}
