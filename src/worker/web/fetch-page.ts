import { toLoggedUrl } from '../../rules/web/to-logged-url.ts'
import type { WorkerToolOutcome } from '../worker-tool.ts'
import { exchange } from './exchange.ts'
import type { PageReader } from './page-reader.ts'
import { textArgument } from './text-argument.ts'
import type { Document } from './to-document.ts'
import type { Web } from './visit.ts'

/** WEB-01: fetches the readable text of a page; other text unchanged. */
export async function fetchPage(
  web: Web,
  reader: PageReader,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<WorkerToolOutcome> {
  reader.warm()
  const { hops, ...found } = await exchange(web, textArgument(args, 'url'), signal)
  if (found.kind === 'failed') return { ...found, kind: 'error', hops }
  const { document } = found
  if (document.kind !== 'html')
    return { kind: 'ok', output: withFinalUrl(document.text, document, hops), hops }
  const maxCharacters = 2 * web.options.maxBodyBytes
  const job = { kind: 'text' as const, html: document.text, url: document.url, maxCharacters }
  const read = await reader.read(job, signal)
  if (read.kind === 'error') return { ...read, hops }
  return { kind: 'ok', output: withFinalUrl(read.output, document, hops), hops }
}

/** Appends the final URL if it differs from the approved one. */
function withFinalUrl(text: string, { url }: Document, hops: readonly unknown[]): string {
  if (hops.length < 2) return text
  return `${text}\n[redirected to ${toLoggedUrl(url)}]`
}
