import type { FileHandle } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import {
  bytesOf,
  type FoundLine,
  type LineQuery,
  type LineSearch,
  maxLineBytes,
} from './line-search.ts'
import { searchLines } from './search-lines.ts'

/**
 * Searches with Node alone, in a separate thread, with the linear engine if Node was started with
 * `--enable-experimental-regexp-engine` and supports the pattern; ended when `signal` aborts.
 */
export function createNodeSearch(pattern: string, signal: AbortSignal): LineSearch {
  // The function's source is the whole program, so that no second file is needed in the box.
  const worker = new Worker(`(${searchLines.toString()})()`, {
    eval: true,
    workerData: { pattern, maxLineBytes },
  })
  const failed = new Promise<never>((_resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the search thread has ended')))
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  failed.catch(() => undefined)
  return {
    candidates: async () => undefined,
    search: (files, query) => Promise.race([searchFiles(worker, files, query), failed]),
    close: async () => void (await worker.terminate()),
  }
}

async function searchFiles(
  worker: Worker,
  files: readonly FileHandle[],
  query: LineQuery,
): Promise<FoundLine[][]> {
  const found: FoundLine[][] = []
  const { context } = query
  let { limit, maxBytes } = query
  for (const file of files) {
    const isDone = limit <= 0 || maxBytes <= 0
    const lines = isDone ? [] : await ask(worker, { fd: file.fd, context, limit, maxBytes })
    limit -= lines.filter((line) => line.isMatch).length
    maxBytes -= bytesOf(lines)
    found.push(lines)
  }
  return found
}

function ask(worker: Worker, question: object): Promise<FoundLine[]> {
  return new Promise((resolve) => {
    worker.once('message', (lines: FoundLine[]) => resolve(lines))
    worker.postMessage(question)
  })
}
