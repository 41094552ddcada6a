import type { ToolError } from '../../domain/tool/tool-error.ts'
import type { WebHop } from '../../domain/web-hop.ts'
import { type Document, toDocument } from './to-document.ts'
import { type Visit, visit, type Web } from './visit.ts'

/** Result of fetching a URL, with every hop. */
export type Exchanged = { readonly hops: readonly WebHop[] } & (
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'failed'; readonly error: ToolError; readonly retryAfterMs?: number }
)

const mostRedirects = 3

/** WEB-04: follows redirects manually, checking each URL. Never rejects. */
export async function exchange(web: Web, url: string, signal: AbortSignal): Promise<Exchanged> {
  const hops: WebHop[] = []
  let next = url
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const visited = await visit(web, next, signal)
    hops.push(visited.hop)
    if (visited.kind === 'failed') {
      const { hop: _hop, ...failed } = visited
      return { ...failed, hops }
    }
    if (visited.kind === 'answered') return conclude(web, visited, hops)
    next = visited.to
  }
  const message = `more than ${mostRedirects} redirects`
  return { kind: 'failed', error: { category: 'permanent_failure', message }, hops }
}

/** Reads the document; the last hop records why it was refused. */
async function conclude(
  { options }: Web,
  { url, answer, hop }: Extract<Visit, { kind: 'answered' }>,
  hops: readonly WebHop[],
): Promise<Exchanged> {
  const read = await toDocument(url, answer, options.maxBodyBytes)
  if (read.kind === 'document') return { ...read, hops }
  const refused = { ...hop, blocked: read.error.message }
  return { ...read, hops: [...hops.slice(0, -1), refused] }
}
