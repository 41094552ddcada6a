import type { WorkerToolOutcome } from '../worker-tool.ts'
import { exchange } from './exchange.ts'
import type { PageReader } from './page-reader.ts'
import { textArgument } from './text-argument.ts'
import type { Web } from './visit.ts'

const usualLimit = 10

/** WEB-01: returns the elements of a page that match a selector. Invalid selectors are refused before anything is fetched. */
export async function scrapePage(
  web: Web,
  reader: PageReader,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<WorkerToolOutcome> {
  const select = textArgument(args, 'select')
  const checked = await reader.read({ kind: 'check', select }, signal)
  if (checked.kind === 'error') return checked
  const { hops, ...found } = await exchange(web, textArgument(args, 'url'), signal)
  if (found.kind === 'failed') return { ...found, kind: 'error', hops }
  const { kind, type, text } = found.document
  if (kind === 'text') {
    const message = `there are no elements in ${type || 'plain text'}; fetch shows it as it is`
    return { kind: 'error', error: { category: 'permanent_failure', message }, hops }
  }
  const limit = args['limit']
  const read = await reader.read(
    {
      kind: 'select',
      markup: text,
      isXml: kind === 'xml',
      select,
      extract: textArgument(args, 'extract') || 'text',
      limit: typeof limit === 'number' ? limit : usualLimit,
      maxCharacters: 2 * web.options.maxBodyBytes,
    },
    signal,
  )
  return { ...read, hops }
}
