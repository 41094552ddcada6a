import { fetchTool } from '../../rules/tools/fetch.ts'
import { webScrapeTool } from '../../rules/tools/web-scrape.ts'
import type { WorkerTool } from '../worker-tool.ts'
import { PageReader } from './page-reader.ts'
import { RateLimitedHosts } from './rate-limited-hosts.ts'
import type { Web, WebHooksForTests, WebOptions } from './visit.ts'

/** Web tools of one worker, by name. Disposing ends their threads. */
export interface WebTools extends AsyncDisposable {
  readonly tools: ReadonlyMap<string, WorkerTool>
}

/**
 * WEB-08: creates the web tools, which run in the worker rather than in a box. Dependencies are loaded at the first call,
 * since they are large. Only tests pass `hooksForTests`.
 */
export function createWebTools(options: WebOptions, hooksForTests?: WebHooksForTests): WebTools {
  const web: Web = { options, rateLimitedHosts: new RateLimitedHosts(options.now), hooksForTests }
  const reader = new PageReader()
  const fetch: WorkerTool = async (args, call) => {
    const signal = limited(call.signal, options)
    const { fetchPage } = await import('./fetch-page.ts')
    return fetchPage(web, reader, args, signal)
  }
  const scrape: WorkerTool = async (args, call) => {
    const signal = limited(call.signal, options)
    const { scrapePage } = await import('./scrape-page.ts')
    return scrapePage(web, reader, args, signal)
  }
  const tools = new Map([
    [fetchTool.name, fetch],
    [webScrapeTool.name, scrape],
  ])
  return { tools, [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose]() }
}

function limited(signal: AbortSignal, { timeoutMs }: WebOptions): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
}
