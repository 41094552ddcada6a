import { fetchTool } from '../../rules/tools/fetch.ts'
import { webScrapeTool } from '../../rules/tools/web-scrape.ts'
import type { WorkerTool } from '../worker-tool.ts'
import { fetchPage } from './fetch-page.ts'
import { PageReader } from './page-reader.ts'
import { QuietHosts } from './quiet-hosts.ts'
import { scrapePage } from './scrape-page.ts'
import type { Web } from './visit.ts'
import type { WebHooksForTests, WebOptions } from './web-options.ts'

/** The web tools of one worker, by name. Disposing ends what they keep ready. */
export interface WebTools extends AsyncDisposable {
  readonly tools: ReadonlyMap<string, WorkerTool>
}

/** WEB-08: they run in the worker, beside the boxes. Only a test has something to say by `hooksForTests`. */
export function createWebTools(options: WebOptions, hooksForTests?: WebHooksForTests): WebTools {
  const web: Web = { options, quietHosts: new QuietHosts(options.now), hooksForTests }
  const reader = new PageReader()
  const tools: readonly (readonly [string, WorkerTool])[] = [
    [fetchTool.name, (args, call) => fetchPage(web, reader, args, limited(call.signal, options))],
    [
      webScrapeTool.name,
      (args, call) => scrapePage(web, reader, args, limited(call.signal, options)),
    ],
  ]
  return { tools: new Map(tools), [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose]() }
}

function limited(signal: AbortSignal, { timeoutMs }: WebOptions): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
}
